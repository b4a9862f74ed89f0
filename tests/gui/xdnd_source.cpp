/// Drops files on a window like a file manager, for the window tests. Implements the source's side of the XDND protocol,
/// version 5 (freedesktop.org/wiki/Specifications/XDND).
///
///     xdnd_source WINDOW X Y FILE...     X and Y in root coordinates; exit status 0 once the target has finished
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
constexpr long k_version = 5;
constexpr auto k_patience = std::chrono::seconds(10);
constexpr int k_tries = 100;
constexpr auto k_between_tries = std::chrono::milliseconds(50);

std::string file_uri(const std::string& path) {
    const std::string unreserved = "/-._~";
    std::string uri = "file://";
    for (const char c : std::filesystem::absolute(path).string()) {
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
            unreserved.find(c) != std::string::npos) {
            uri += c;
        } else {
            std::array<char, 4> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
            uri += escaped.data();
        }
    }
    return uri;
}

class Source {
public:
    Source(Display* display, Window target) : display_(display), target_(target) {
        window_ = XCreateSimpleWindow(display_, DefaultRootWindow(display_), -10, -10, 1, 1, 0, 0, 0);
        XSetSelectionOwner(display_, atom("XdndSelection"), window_, CurrentTime);
    }

    void enter() {
        send("XdndEnter", {static_cast<long>(window_), k_version << 24, static_cast<long>(atom("text/uri-list")), 0, 0});
    }
    void offer(int x, int y) {
        send("XdndPosition", {static_cast<long>(window_), 0, (static_cast<long>(x) << 16) | y, CurrentTime,
                              static_cast<long>(atom("XdndActionCopy"))});
    }
    void drop() { send("XdndDrop", {static_cast<long>(window_), 0, CurrentTime, 0, 0}); }

    /// Serves requests for the data until the target sends a message of this type. Returns whether the target accepted in
    /// time.
    bool wait_for(const char* type, const std::string& data) {
        const Clock::time_point deadline = Clock::now() + k_patience;
        while (Clock::now() < deadline) {
            if (XPending(display_) == 0) {
                pollfd waited{ConnectionNumber(display_), POLLIN, 0};
                poll(&waited, 1, 100);
                continue;
            }
            XEvent event;
            XNextEvent(display_, &event);
            if (event.type == SelectionRequest) answer(event.xselectionrequest, data);
            // The protocol specifies bit 0, but GLFW up to 3.3 answers a drop with the number of bytes it took.
            if (event.type == ClientMessage && event.xclient.message_type == atom(type)) return event.xclient.data.l[1] != 0;
        }
        return false;
    }

private:
    Atom atom(const char* name) const { return XInternAtom(display_, name, False); }

    void send(const char* type, const std::array<long, 5>& data) {
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.window = target_;
        event.xclient.message_type = atom(type);
        event.xclient.format = 32;
        for (std::size_t i = 0; i < data.size(); ++i) event.xclient.data.l[i] = data[i];
        XSendEvent(display_, target_, False, NoEventMask, &event);
        XFlush(display_);
    }

    void answer(const XSelectionRequestEvent& request, const std::string& data) {
        XEvent event{};
        event.xselection.type = SelectionNotify;
        event.xselection.requestor = request.requestor;
        event.xselection.selection = request.selection;
        event.xselection.target = request.target;
        event.xselection.time = request.time;
        if (request.target == atom("text/uri-list")) {
            XChangeProperty(display_, request.requestor, request.property, request.target, 8, PropModeReplace,
                            reinterpret_cast<const unsigned char*>(data.data()), static_cast<int>(data.size()));
            event.xselection.property = request.property;
        }
        XSendEvent(display_, request.requestor, False, NoEventMask, &event);
        XFlush(display_);
    }

    Display* display_;
    Window target_;
    Window window_ = None;
};

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count < 5) {
        std::fputs("usage: xdnd_source WINDOW X Y FILE...\n", stderr);
        return 2;
    }
    Display* display = XOpenDisplay(nullptr);
    if (display == nullptr) {
        std::fputs("xdnd_source: no display\n", stderr);
        return 3;
    }
    std::string data;
    for (int i = 4; i < argument_count; ++i) data += file_uri(arguments[i]) + "\r\n";
    Source source(display, std::strtoul(arguments[1], nullptr, 0));
    source.enter();
    // A browser refuses until its page has been asked, which happens again whenever the mouse moves.
    bool accepted = false;
    for (int i = 0; i < k_tries && !accepted; ++i) {
        if (i > 0) std::this_thread::sleep_for(k_between_tries);
        source.offer(std::atoi(arguments[2]) + i % 2, std::atoi(arguments[3]));
        accepted = source.wait_for("XdndStatus", data);
    }
    if (accepted) source.drop();
    const bool finished = accepted && source.wait_for("XdndFinished", data);
    if (!finished) std::fputs(accepted ? "xdnd_source: the drop was not finished\n" : "xdnd_source: not accepted\n", stderr);
    XCloseDisplay(display);
    return finished ? 0 : 1;
}
