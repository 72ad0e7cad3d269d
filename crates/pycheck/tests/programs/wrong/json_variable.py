# expect: PY501 4:20
names = {"a", "b"}
names.add("c")
context["names"] = names
