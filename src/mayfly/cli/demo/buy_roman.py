import hashlib
import json
from urllib.request import Request, urlopen


def buy_roman(numeral: str, shop: str) -> int:
    """Buy the value of a roman numeral from a shop."""
    body = json.dumps({"numeral": numeral})
    call = hashlib.sha256(f"{shop} {body}".encode()).hexdigest()
    order = {"call_id": call, "url": shop, "max_price": "0.01", "body": body}
    request = Request("http://wallet.mayfly/buy", data=json.dumps(order).encode(), method="POST")
    with urlopen(request, timeout=30) as reply:
        told = json.load(reply)
    if told["status"] != "delivered":
        raise ValueError(f"{told['status']}: {told['reason'] or 'there is no answer yet'}")
    return int(told["answer"]["body"])
