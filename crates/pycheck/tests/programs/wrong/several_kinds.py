# expect: PY301 7:1
# expect: PY101 8:5
# expect: PY201 9:5
# expect: PY401 10:1
# expect: PY501 11:16
# context: amount
import os
x = total_amount
y = context["total"]
eval("1")
context["z"] = {1}
