/** Requests of an access log that ended with a client's error. */
interface Hit {
  ip: string;
  user: string;
  time: string;
  request: string;
  status: number;
}

const LINE = /^(\S+) \S+ (.*?) \[([^\]]+)\] "([^"]*)" (\d{3}) /;

function parse(line: string): Hit | null {
  const found = LINE.exec(line);
  if (found === null) {
    return null;
  }
  const [, ip = "", user = "", time = "", request = "", status = ""] = found;
  return { ip, user, time, request, status: Number(status) };
}

/** Return the requests whose status is 4xx, in order. */
export function run(input: string[]): Hit[] {
  const hits: Hit[] = [];
  for (const line of input) {
    const hit = parse(line);
    if (hit !== null && hit.status >= 400 && hit.status < 500) {
      hits.push(hit);
    }
  }
  return hits;
}
