#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/mesh/colours.h"

struct DBusConnection;
struct DBusMessage;

namespace snapviewer {

/// Reads the preference for a dark or light theme from the desktop's settings portal (org.freedesktop.portal.Settings), over
/// its own connection to the session's D-Bus. Without a bus, a portal or libdbus the preference is unknown. Main thread.
class SettingsPortal {
public:
    /// Waits some tens of milliseconds at most for the first answer; does not wait if there is no bus.
    SettingsPortal();

    /// Processes the received messages without waiting. Costs a system call.
    void update();
    /// The preferred theme; nullopt if the user has no preference or it is unknown.
    const std::optional<mesh::ThemeVariant>& ground() const { return ground_; }

private:
    struct Close {
        void operator()(DBusConnection* connection) const;
    };
    void ask();
    void take_what_came();
    void take(DBusMessage* message);

    std::unique_ptr<DBusConnection, Close> connection_;
    std::uint32_t asked_serial_ = 0;  ///< serial number of the call that has no reply yet, or 0
    std::optional<mesh::ThemeVariant> ground_;
};

}  // namespace snapviewer
