import email
from email import policy

message = email.message_from_string(context["raw_email"], policy=policy.default)
insights = {
    "type": "email",
    "is_multipart": message.is_multipart(),
    "parts": sum(1 for _ in message.walk()),
    "headers": sorted(set(message.keys())),
}
