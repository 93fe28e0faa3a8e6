"""ipaddress: networks, membership and summaries."""

import ipaddress

ARGUMENT = ["10.0.0.1", "192.168.1.77", "8.8.8.8", "::1", "not an address"]


def classify(text):
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return "invalid"
    return f"v{address.version} {'private' if address.is_private else 'public'}"


def main(argument):
    network = ipaddress.ip_network("192.168.1.0/26")
    return {
        "classes": [classify(text) for text in argument],
        "inside": ipaddress.ip_address("192.168.1.63") in network,
        "hosts": network.num_addresses,
        "subnets": [str(subnet) for subnet in network.subnets(prefixlen_diff=1)],
        "collapsed": [str(n) for n in ipaddress.collapse_addresses(map(ipaddress.ip_network, ["10.0.0.0/25", "10.0.0.128/25"]))],
    }
