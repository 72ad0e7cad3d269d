# expect: PY302 2:8
import no_such_module
