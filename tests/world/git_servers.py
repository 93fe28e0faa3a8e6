"""Git servers on the loopback: over HTTPS with a password, over SSH with the sshd of a machine that has one."""

from __future__ import annotations

import base64
import datetime
import getpass
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "me", "canary-0815"


def make_certificate(place: Path) -> Path:
    """Write a certificate for 127.0.0.1 that signs itself, with its key, into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    place.write_bytes(private + made.public_bytes(pem))
    return place


@contextmanager
def https_server(root: Path, certificate: Path) -> Iterator[str]:
    """Serve the bare repositories below *root*; yields the address, without a slash at its end."""
    backend = subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True).stdout.strip()
    wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != wanted:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            variables = {
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REMOTE_USER": USER,
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "PATH": os.environ["PATH"],
            }
            done = subprocess.run(
                [f"{backend}/git-http-backend"], env=variables, input=body, capture_output=True, check=False
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            told = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self.send_response(int(told.pop("Status", "200").split()[0]))
            for key, value in {**told, "Content-Length": str(len(content))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def ssh_server(place: Path) -> Iterator[tuple[str, str] | None]:
    """Run the machine's sshd; yields host and port to go to and the ssh that goes there, or None where it has none."""
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if program is None or not shutil.which("ssh-keygen"):
        yield None
        return
    place.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place / name)], check=True)
    shutil.copy(place / "user.pub", place / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (place / "sshd").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {place}/host\nAuthorizedKeysFile {place}/authorized\n"
        f"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile {place}/pid\n"
    )
    (place / "known").write_text(f"[127.0.0.1]:{port} {(place / 'host.pub').read_text()}")
    (place / "ssh").write_text(
        f"IdentityFile {place}/user\nUserKnownHostsFile {place}/known\nIdentitiesOnly yes\nBatchMode yes\n"
    )
    command = f"ssh -F {place}/ssh"
    server = subprocess.Popen([program, "-D", "-e", "-f", str(place / "sshd")], stderr=subprocess.DEVNULL)
    try:
        reach = [*command.split(), "-p", str(port), f"{getpass.getuser()}@127.0.0.1", "true"]
        answers = any(_answers(reach, server) for _ in range(50))
        yield (f"{getpass.getuser()}@127.0.0.1:{port}", command) if answers else None
    finally:
        server.terminate()
        server.wait()


def _answers(reach: list[str], server: subprocess.Popen[bytes]) -> bool:
    """Whether a command gets through; a machine that does not let its user in over SSH has no server for us."""
    if server.poll() is not None:
        return False
    done = subprocess.run(reach, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode and b"refused" in done.stderr:
        time.sleep(0.05)
    return done.returncode == 0
