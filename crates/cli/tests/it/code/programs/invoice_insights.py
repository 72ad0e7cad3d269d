import base64

import pymupdf

insights = {"type": "unknown"}
try:
    data = base64.b64decode(context["pdf_data_b64"])
    with pymupdf.open(stream=data, filetype="pdf") as document:
        text = document[0].get_text() if document.page_count else ""
        insights = {
            "type": "pdf",
            "pages": document.page_count,
            "has_text_layer": bool(text.strip()),
            "language": "en" if "Total" in text else "unknown",
            "file_size_kb": round(len(data) / 1024, 1),
        }
except Exception as error:
    insights = {"type": "unknown", "problem": str(error)}
