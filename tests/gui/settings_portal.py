"""A settings portal (org.freedesktop.portal.Settings) on a session bus of its own, which is a real dbus-daemon. The test chooses the
light or dark preference that it reports."""
import os
import shutil
import socket
import struct
import subprocess
import threading

NAME = "org.freedesktop.portal.Desktop"
CALL, REPLY, SIGNAL = 1, 2, 4
MEMBER, SENDER = 3, 7


def padded(data, to):
    return data + b"\0" * (-len(data) % to)


def text(value):
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


def message(kind, serial, fields, body=b""):
    """Returns a D-Bus message. `fields`: code -> (type, value)."""
    head = b""
    for code, (type_, value) in fields.items():
        head = padded(head, 8) + bytes([code, 1]) + type_.encode() + b"\0"
        if type_ == "u":
            head = padded(head, 4) + struct.pack("<I", value)
        elif type_ == "g":
            head += bytes([len(value)]) + value.encode() + b"\0"
        else:
            head = padded(head, 4) + text(value)
    return padded(struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(head)) + head, 8) + body


def variant_of_variant(number):
    return padded(b"\x01v\0\x01u\0", 4) + struct.pack("<I", number)


def texts_in_head(data):
    """Returns code -> value for the header fields of a message that are texts."""
    end = 16 + struct.unpack_from("<I", data, 12)[0]
    found, at = {}, 16
    while at < end:
        at += -at % 8
        code, type_ = data[at], data[at + 2:at + 3]
        at += 4
        if type_ == b"g":
            at += data[at] + 2
            continue
        at += -at % 4
        number = struct.unpack_from("<I", data, at)[0]
        at += 4
        if type_ in (b"s", b"o"):
            found[code] = data[at:at + number].decode()
            at += number + 1
    return found


class SettingsPortal:
    """A bus with the portal. A program started with `environment` uses that bus."""

    def __init__(self, scheme):
        self.daemon = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, text=True)
        address = self.daemon.stdout.readline().strip()
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": address}
        self.scheme = scheme
        self.serial = 0
        self.named = threading.Event()
        self.socket = socket.socket(socket.AF_UNIX)
        parts = dict(part.split("=", 1) for part in address.removeprefix("unix:").split(","))
        self.socket.connect(parts["path"] if "path" in parts else "\0" + parts["abstract"])
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self.socket.recv(4096).startswith(b"OK"):
            raise RuntimeError("the bus does not let the test in")
        self.socket.sendall(b"BEGIN\r\n")
        self.call("Hello")
        self.call("RequestName", "su", padded(text(NAME), 4) + struct.pack("<I", 0))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        if not self.named.wait(10):
            raise RuntimeError("the bus gives no name")

    @staticmethod
    def is_possible():
        return shutil.which("dbus-daemon") is not None

    def send(self, kind, fields, body=b""):
        self.serial += 1
        self.socket.sendall(message(kind, self.serial, fields, body))

    def call(self, member, signature="", body=b""):
        fields = {1: ("o", "/org/freedesktop/DBus"), 2: ("s", "org.freedesktop.DBus"), 3: ("s", member), 6: ("s", "org.freedesktop.DBus")}
        self.send(CALL, {**fields, 8: ("g", signature)} if signature else fields, body)

    def say(self, scheme):
        """Sets the reported preference. 0: none, 1: dark, 2: light."""
        self.scheme = scheme
        names = padded(text("org.freedesktop.appearance"), 4) + text("color-scheme")
        body = padded(names + b"\x01u\0", 4) + struct.pack("<I", scheme)
        self.send(SIGNAL, {1: ("o", "/org/freedesktop/portal/desktop"), 2: ("s", "org.freedesktop.portal.Settings"),
                           3: ("s", "SettingChanged"), 8: ("g", "ssv")}, body)

    def received(self):
        """Yields received messages as bytes."""
        data = b""
        while True:
            while len(data) >= 16:
                body, _, fields = struct.unpack_from("<III", data, 4)
                size = 16 + fields + -fields % 8 + body
                if len(data) < size:
                    break
                yield data[:size]
                data = data[size:]
            more = self.socket.recv(4096)
            if not more:
                return
            data += more

    def serve(self):
        try:
            for each in self.received():
                serial = struct.unpack_from("<I", each, 8)[0]
                texts = texts_in_head(each)
                if each[1] == SIGNAL and texts[MEMBER] == "NameAcquired" and each.endswith(text(NAME)):
                    self.named.set()
                if each[1] == CALL and texts[MEMBER] == "Read":
                    self.send(REPLY, {5: ("u", serial), 6: ("s", texts[SENDER]), 8: ("g", "v")}, variant_of_variant(self.scheme))
        except OSError:
            return

    def stop(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join(10)
        self.daemon.terminate()
        self.daemon.wait(10)
        self.daemon.stdout.close()
