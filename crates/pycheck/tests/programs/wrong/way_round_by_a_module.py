# expect: PY402 7:13
# expect: PY402 8:10
# expect: PY402 9:19
# expect: PY301 10:1
import email.utils
import tempfile
email.utils.os.getcwd()
tempfile._os.getcwd()
getattr(tempfile, '_os')
from tempfile import _shutil
