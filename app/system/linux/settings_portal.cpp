#include "app/system/linux/settings_portal.h"

#include <dbus/dbus.h>

#include <chrono>
#include <cstdlib>
#include <initializer_list>

#include "app/system/late_libraries.h"

namespace snapviewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto k_first_answer_patience = std::chrono::milliseconds(60);
constexpr long k_max_portal_message_bytes = 1 << 16;

constexpr const char* k_settings = "org.freedesktop.portal.Settings";

struct Drop {
    void operator()(DBusMessage* message) const { dbus_message_unref(message); }
};
using Message = std::unique_ptr<DBusMessage, Drop>;

struct Peer {
    const char* name;
    const char* path;
    const char* interface;
};
constexpr Peer k_bus = {"org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"};
constexpr Peer k_portal = {"org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", k_settings};

/// Sends a method call without waiting for its reply. Returns the serial number, or 0 if out of memory.
std::uint32_t call(DBusConnection* connection, const Peer& peer, const char* member,
                   std::initializer_list<const char*> texts) {
    const Message message(dbus_message_new_method_call(peer.name, peer.path, peer.interface, member));
    if (!message) return 0;
    DBusMessageIter arguments;
    dbus_message_iter_init_append(message.get(), &arguments);
    for (const char* text : texts) {
        if (!dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &text)) return 0;
    }
    dbus_uint32_t serial = 0;
    return dbus_connection_send(connection, message.get(), &serial) ? serial : 0;
}

/// Returns the number in a reply, unwrapping any number of variants around it.
std::optional<std::uint32_t> number_of(DBusMessage* message) {
    DBusMessageIter at;
    if (!dbus_message_iter_init(message, &at)) return std::nullopt;
    while (dbus_message_iter_get_arg_type(&at) == DBUS_TYPE_VARIANT) {
        DBusMessageIter inside;
        dbus_message_iter_recurse(&at, &inside);
        at = inside;
    }
    if (dbus_message_iter_get_arg_type(&at) != DBUS_TYPE_UINT32) return std::nullopt;
    dbus_uint32_t number = 0;
    dbus_message_iter_get_basic(&at, &number);
    return number;
}

int milliseconds(Clock::duration time) {
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

void SettingsPortal::Close::operator()(DBusConnection* connection) const {
    dbus_connection_close(connection);
    dbus_connection_unref(connection);
}

// Only the first answer of the portal is awaited. dbus_bus_get() is not used, because it blocks until the bus answers
// "Hello".
SettingsPortal::SettingsPortal() {
    const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
    if (address == nullptr || !open_bus_library()) return;
    dbus_connection_set_change_sigpipe(FALSE);
    DBusError error;
    dbus_error_init(&error);
    connection_.reset(dbus_connection_open_private(address, &error));
    dbus_error_free(&error);
    if (!connection_) return;
    dbus_connection_set_exit_on_disconnect(connection_.get(), FALSE);
    dbus_connection_set_max_message_size(connection_.get(), k_max_portal_message_bytes);
    call(connection_.get(), k_bus, "Hello", {});
    call(connection_.get(), k_bus, "AddMatch",
         {"type='signal',interface='org.freedesktop.portal.Settings',member='SettingChanged',"
          "arg0='org.freedesktop.appearance'"});
    ask();
    const auto deadline = Clock::now() + k_first_answer_patience;
    for (auto now = Clock::now(); connection_ && asked_serial_ != 0 && now < deadline; now = Clock::now()) {
        dbus_connection_read_write(connection_.get(), milliseconds(deadline - now));
        take_what_came();
    }
}

void SettingsPortal::update() {
    if (!connection_) return;
    dbus_connection_read_write(connection_.get(), 0);
    take_what_came();
}

void SettingsPortal::ask() {
    asked_serial_ = call(connection_.get(), k_portal, "Read", {"org.freedesktop.appearance", "color-scheme"});
}

void SettingsPortal::take_what_came() {
    while (const Message message{dbus_connection_pop_message(connection_.get())}) take(message.get());
    if (!dbus_connection_get_is_connected(connection_.get())) connection_.reset();
}

void SettingsPortal::take(DBusMessage* message) {
    if (dbus_message_is_signal(message, k_settings, "SettingChanged")) return ask();
    if (asked_serial_ == 0 || dbus_message_get_reply_serial(message) != asked_serial_) return;
    asked_serial_ = 0;
    constexpr std::uint32_t k_prefers_dark = 1;
    constexpr std::uint32_t k_prefers_light = 2;
    const std::optional<std::uint32_t> preferred = number_of(message);
    ground_.reset();
    if (preferred == k_prefers_dark) ground_ = mesh::ThemeVariant::dark;
    if (preferred == k_prefers_light) ground_ = mesh::ThemeVariant::light;
}

}  // namespace snapviewer
