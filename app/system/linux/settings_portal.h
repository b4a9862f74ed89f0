#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/mesh/greyed.h"

struct DBusConnection;
struct DBusMessage;

namespace snapviewer {

/// What the settings portal of the desktop (org.freedesktop.portal.Settings) says of light and dark, over a connection to
/// the session's D-Bus. Where there is no bus, no portal or no libdbus, it says nothing. Main thread.
class SettingsPortal {
public:
    /// Waits for the first answer for some tens of milliseconds at most, where there is a bus.
    SettingsPortal();

    /// Takes what came. Costs a call of the system.
    void update();
    /// None where the user prefers neither, or nobody says.
    const std::optional<Ground>& ground() const { return ground_; }

private:
    struct Close {
        void operator()(DBusConnection* connection) const;
    };
    void ask();
    void take_what_came();
    void take(DBusMessage* message);

    std::unique_ptr<DBusConnection, Close> connection_;
    std::uint32_t asked_serial_ = 0;  ///< of the question that has no answer yet
    std::optional<Ground> ground_;
};

}  // namespace snapviewer
