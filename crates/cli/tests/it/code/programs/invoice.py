import base64
import re
from decimal import Decimal

import pymupdf

data = base64.b64decode(context["pdf_data_b64"])
with pymupdf.open(stream=data, filetype="pdf") as document:
    text = "\n".join(page.get_text() for page in document)

match = re.search(r"Total:\s*([\d.,]+)\s*([A-Z]{3})", text)
if match is None:
    raise ValueError("there is no line with a total in the invoice")
context["total_amount"] = str(Decimal(match.group(1).replace(",", "")))
context["currency"] = match.group(2)
context["extraction_status"] = "success"
