# SPDX-License-Identifier: MIT
"""A web server on the loopback address that knows ranges, and misbehaves as a test asks."""

import hashlib
import http.server
import re
import threading
import time


class Server(http.server.ThreadingHTTPServer):
    """files: path -> bytes.  What it does beside serving them:

    delay_s: before each answer.  fail: called with the number of the request, a status or None.  cut: answers
    end after so many bytes, and the connection with them.  shift: ranges come from so many bytes later.  ranges
    False: ignored.  etags False: none.  answer: called with the handler and the number of the request; true if it
    has answered.  until_closed() blocks a handler until the server is closed."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.delay_s, self.cut, self.shift = dict(files), 0, None, 0
        self.ranges, self.etags, self.fail = True, True, lambda number: None
        self.answer, self._closed = None, threading.Event()
        self.lock, self.gets, self.heads, self.nbytes, self.running, self.most = threading.Lock(), 0, 0, 0, 0, 0
        self._etags = {}
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def url(self, name):
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"

    def reset(self):
        self.gets = self.heads = self.nbytes = self.most = 0

    def etag_of(self, data):
        """Of bytes that stay as they are, so that they are read once."""
        found = self._etags.get(id(data))
        if found is None or found[0] is not data:
            found = self._etags[id(data)] = data, '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        return found[1]

    def until_closed(self):
        self._closed.wait()

    def close(self):
        self._closed.set()
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request, client_address):
        pass  # the other side went away


def _range(span, nbytes):
    """Of "5-9", "5-" and "-5", the last five."""
    if not span[1]:
        return max(nbytes - int(span[2]), 0), nbytes - 1
    return int(span[1]), min(int(span[2] or nbytes), nbytes - 1)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.server.heads += 1
        self._answer(False)

    def do_GET(self):
        server = self.server
        with server.lock:
            server.gets += 1
            server.running += 1
            server.most = max(server.most, server.running)
            number = server.gets
        try:
            if server.delay_s:
                time.sleep(server.delay_s)
            status = server.fail(number)
            if server.answer and server.answer(self, number):
                pass
            elif status:
                self._empty(status)
            else:
                self._answer(True)
        except OSError:
            self.close_connection = True  # the client has closed it
        finally:
            with server.lock:
                server.running -= 1

    def _empty(self, status):
        self.head(status, Content_Length=0)

    def head(self, status, **headers):
        """Send a status and headers; the underscores in their names become hyphens."""
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def asked(self):
        """(first, last, data) of the range that this request asks for."""
        data = self.server.files[self.path[1:].partition("?")[0]]
        return *_range(re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers["Range"]), len(data)), data

    def _answer(self, with_body):
        server = self.server
        data = server.files.get(self.path[1:].partition("?")[0])
        if data is None:
            return self._empty(404)
        etag = server.etag_of(data)
        if server.etags and self.headers.get("If-Match", etag) != etag:
            return self._empty(412)
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "")) if server.ranges else None
        first, last = _range(span, len(data)) if span else (0, len(data) - 1)
        if first > last >= 0:
            return self._empty(416)
        shift = server.shift if with_body else 0
        body = data[first + shift:last + 1 + shift]
        self.send_response(206 if span else 200)
        self.send_header("Content-Length", str(len(body)))
        if span:
            self.send_header("Content-Range", f"bytes {first + shift}-{last + shift}/{len(data)}")
        if server.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if server.etags:
            self.send_header("ETag", etag)
        self.end_headers()
        if with_body:
            sent = body if server.cut is None else body[:server.cut]
            server.nbytes += len(sent)
            self.wfile.write(sent)
            if len(sent) < len(body):
                self.close_connection = True
