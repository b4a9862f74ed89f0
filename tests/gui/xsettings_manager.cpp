/// An XSETTINGS manager (freedesktop.org) for the window tests: reports the desktop's theme and text scale to the programs
/// of a display. Each line of standard input contains a theme's name and the dots per inch, such as "Adwaita-dark 96", and
/// is answered with "ok". The manager ends with its input.
#include <X11/Xlib.h>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

namespace {

/// The settings property in little-endian byte order, which its first byte announces.
class Property {
public:
    void number(std::uint32_t value, int size) {
        for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
    }
    void text(const std::string& text) {
        bytes_ += text;
        while (bytes_.size() % 4 != 0) bytes_ += '\0';
    }
    void head(int kind, const std::string& name, std::uint32_t serial) {
        number(static_cast<std::uint32_t>(kind), 1);
        number(0, 1);
        number(static_cast<std::uint32_t>(name.size()), 2);
        text(name);
        number(serial, 4);
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

std::string settings(const std::string& theme, int dots_per_inch, std::uint32_t serial) {
    Property property;
    property.number(0, 4);
    property.number(serial, 4);
    property.number(2, 4);
    property.head(1, "Net/ThemeName", serial);
    property.number(static_cast<std::uint32_t>(theme.size()), 4);
    property.text(theme);
    property.head(0, "Xft/DPI", serial);
    property.number(static_cast<std::uint32_t>(dots_per_inch) * 1024, 4);
    return property.bytes();
}

/// Announces the manager to the root window.
void announce(Display* display, Atom selection, Window window) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = DefaultRootWindow(display);
    event.xclient.message_type = XInternAtom(display, "MANAGER", False);
    event.xclient.format = 32;
    event.xclient.data.l[0] = CurrentTime;
    event.xclient.data.l[1] = static_cast<long>(selection);
    event.xclient.data.l[2] = static_cast<long>(window);
    XSendEvent(display, DefaultRootWindow(display), False, StructureNotifyMask, &event);
}

}  // namespace

int main() {
    Display* display = XOpenDisplay(nullptr);
    if (display == nullptr) return 3;
    const Window window = XCreateSimpleWindow(display, DefaultRootWindow(display), -10, -10, 1, 1, 0, 0, 0);
    const std::string name = "_XSETTINGS_S" + std::to_string(DefaultScreen(display));
    const Atom selection = XInternAtom(display, name.c_str(), False);
    const Atom property = XInternAtom(display, "_XSETTINGS_SETTINGS", False);
    std::string theme;
    int dots_per_inch = 0;
    for (std::uint32_t serial = 1; std::cin >> theme >> dots_per_inch; ++serial) {
        const std::string bytes = settings(theme, dots_per_inch, serial);
        XChangeProperty(display, window, property, property, 8, PropModeReplace,
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
        if (serial == 1) {
            XSetSelectionOwner(display, selection, window, CurrentTime);
            announce(display, selection, window);
        }
        XSync(display, False);
        std::cout << "ok" << std::endl;
    }
    XCloseDisplay(display);
    return 0;
}
