# expect: PY303 5:1
# expect: PY303 6:5
import math
import statistics as st
math.no_such(2)
x = st.no_such_mean([1])
