"""Sends mouse and keyboard input to an X display from this process with libxdo, xdotool's library. A call takes a tenth of a
millisecond, while starting xdotool takes tens of milliseconds on a busy machine."""
import contextlib
import ctypes
import functools

CURRENT_WINDOW = 0  # libxdo then sends with XTEST, like a user's input
PROP_MODE_REPLACE, BITS_OF_TEXT, XA_STRING, XA_WM_ICON_NAME = 0, 8, 31, 37

LIBRARY = "libxdo.so.3"


def is_installed():
    with contextlib.suppress(OSError):
        return bool(ctypes.CDLL(LIBRARY))
    return False


@functools.cache
def libraries():
    """Loads (libX11, libxdo). Ignores X errors, for example of a window that has just closed, at which Xlib would end this process."""
    x11, xdo = ctypes.CDLL("libX11.so.6"), ctypes.CDLL(LIBRARY)
    pointer, number, text, window = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_ulong
    for function, result, *arguments in (
            (x11.XOpenDisplay, pointer, text), (x11.XSync, number, pointer, number),
            (x11.XChangeProperty, number, pointer, window, window, window, number, number, text, number),
            (x11.XSetErrorHandler, pointer, pointer), (x11.XSetIOErrorHandler, pointer, pointer),
            (x11.XSetIOErrorExitHandler, None, pointer, pointer, pointer),
            (xdo.xdo_new_with_opened_display, pointer, pointer, text, number), (xdo.xdo_free, None, pointer),
            (xdo.xdo_move_mouse, number, pointer, number, number, number),
            (xdo.xdo_move_window, number, pointer, window, number, number), (xdo.xdo_raise_window, number, pointer, window),
            (xdo.xdo_focus_window, number, pointer, window), (xdo.xdo_wait_for_window_focus, number, pointer, window, number),
            (xdo.xdo_mouse_down, number, pointer, window, number), (xdo.xdo_mouse_up, number, pointer, window, number),
            (xdo.xdo_click_window_multiple, number, pointer, window, number, number, ctypes.c_uint),
            (xdo.xdo_enter_text_window, number, pointer, window, text, ctypes.c_uint),
            (xdo.xdo_send_keysequence_window, number, pointer, window, text, ctypes.c_uint),
            (xdo.xdo_send_keysequence_window_down, number, pointer, window, text, ctypes.c_uint),
            (xdo.xdo_send_keysequence_window_up, number, pointer, window, text, ctypes.c_uint)):
        function.restype, function.argtypes = result, arguments
    x11.XInitThreads()
    x11.XSetErrorHandler(ignore_error)
    x11.XSetIOErrorHandler(ignore_end)
    return x11, xdo


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def ignore_error(_display, _event):
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def ignore_end(_display):
    return 0


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
def ignore_lost_display(_display, _data):
    pass


class Xdo:
    """Input for one display. Every call returns once the server has handled it."""

    def __init__(self, display_name):
        self.x11, self.library = libraries()
        self.display = self.x11.XOpenDisplay(display_name.encode())
        if not self.display:
            raise RuntimeError(f"no connection to the display {display_name}")
        self.x11.XSetIOErrorExitHandler(self.display, ignore_lost_display, None)
        self.handle = self.library.xdo_new_with_opened_display(self.display, display_name.encode(), 1)
        if not self.handle:
            raise RuntimeError("libxdo did not start")

    def call(self, function, *arguments):
        if function(self.handle, *arguments) != 0:
            raise RuntimeError(f"{function.__name__}{arguments} failed")
        self.x11.XSync(self.display, 0)

    def move_mouse(self, x, y):
        self.call(self.library.xdo_move_mouse, x, y, 0)

    def press(self, button):
        self.call(self.library.xdo_mouse_down, CURRENT_WINDOW, button)

    def release(self, button):
        self.call(self.library.xdo_mouse_up, CURRENT_WINDOW, button)

    def click(self, button, times=1, delay_ms=0):
        """Clicks `times` times, with a delay after each click."""
        self.call(self.library.xdo_click_window_multiple, CURRENT_WINDOW, button, times, 1000 * delay_ms)

    def key(self, names, delay_ms):
        """Presses keys together, such as ctrl+q. Holds them for half of the delay, and waits for the other half after their release."""
        self.call(self.library.xdo_send_keysequence_window, CURRENT_WINDOW, names.encode(), 1000 * delay_ms)

    def key_down(self, names):
        self.call(self.library.xdo_send_keysequence_window_down, CURRENT_WINDOW, names.encode(), 0)

    def key_up(self, names):
        self.call(self.library.xdo_send_keysequence_window_up, CURRENT_WINDOW, names.encode(), 0)

    def type(self, text, delay_ms):
        self.call(self.library.xdo_enter_text_window, CURRENT_WINDOW, text.encode(), 1000 * delay_ms)

    def take_keyboard(self, window_id):
        """Moves a window to the corner of the screen, above all others, and gives it the keyboard."""
        window = int(window_id)
        self.call(self.library.xdo_move_window, window, 0, 0)
        self.call(self.library.xdo_raise_window, window)
        self.call(self.library.xdo_focus_window, window)
        self.call(self.library.xdo_wait_for_window_focus, window, 1)

    def set_icon_name(self, window_id, name):
        """Sets a property of a window. No error if the window no longer exists."""
        data = name.encode()
        self.x11.XChangeProperty(self.display, int(window_id), XA_WM_ICON_NAME, XA_STRING, BITS_OF_TEXT, PROP_MODE_REPLACE, data, len(data))
        self.x11.XSync(self.display, 0)

    def close(self):
        self.library.xdo_free(self.handle)
