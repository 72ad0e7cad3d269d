# expect: PY402 3:4
import pandas as pd
pd.eval('1 + 1')
model.eval() if (model := None) else 0
