"""Signs and verifies webhooks with the Python library of Standard Webhooks, as a receiver or a sender would.

Reads one JSON object per line and answers each with one line:
  {"do": "sign", "secret", "id", "timestamp", "body"}  ->  {"signature"}
  {"do": "verify", "secret", "headers", "body"}        ->  {"verified", "why"}
"""

import json
import sys
from datetime import datetime, timezone

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def sign(asked):
    at = datetime.fromtimestamp(asked["timestamp"], tz=timezone.utc)
    return {"signature": Webhook(asked["secret"]).sign(asked["id"], at, asked["body"])}


def verify(asked):
    try:
        Webhook(asked["secret"]).verify(asked["body"], asked["headers"])
    except WebhookVerificationError as refused:
        return {"verified": False, "why": str(refused)}
    return {"verified": True, "why": ""}


for line in sys.stdin:
    asked = json.loads(line)
    answer = {"sign": sign, "verify": verify}[asked["do"]](asked)
    print(json.dumps(answer), flush=True)
