import email
from email import policy
from email.utils import parsedate_to_datetime

message = email.message_from_string(context["raw_email"], policy=policy.default)
sender = message["From"].addresses[0]
context["sender_name"] = sender.display_name
context["sender_address"] = sender.addr_spec
context["subject"] = str(message["Subject"])
context["sent_at"] = parsedate_to_datetime(str(message["Date"])).isoformat()
context["attachments"] = [
    {
        "name": part.get_filename(),
        "type": part.get_content_type(),
        "bytes": len(part.get_payload(decode=True) or b""),
    }
    for part in message.iter_attachments()
]
