from datetime import date
from decimal import Decimal
names = {"a", "b"}
context["names"] = sorted(names)
context["count"] = len({1, 2})
context["list"] = list({1, 2})
context["pair"] = (1, [2, {"x": None}])
context["day"] = date.today()
context["price"] = Decimal("1.5")
context["flag"] = 1 in {1, 2}
context["text"] = b"x".decode()
context["sum"] = sum(x for x in [1])
