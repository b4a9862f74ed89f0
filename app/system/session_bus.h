#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mesh/greyed.h"

namespace snapviewer {

/// What the settings portal of the desktop (org.freedesktop.portal.Settings) says of light and dark, over a connection to
/// the session's D-Bus. Where there is no bus, or no portal, it says nothing. Main thread.
class SettingsPortal {
public:
    /// Waits for the first answer for some tens of milliseconds at most, where there is a bus.
    SettingsPortal();
    ~SettingsPortal();
    SettingsPortal(const SettingsPortal&) = delete;
    SettingsPortal& operator=(const SettingsPortal&) = delete;

    /// Takes what came. Costs a call of the system.
    void update();
    /// None where the user prefers neither, or nobody says.
    const std::optional<Ground>& ground() const { return ground_; }

private:
    bool authenticate();
    void send(const std::string& message);
    void ask();
    void take(const std::string& message);
    void close();

    int socket_ = -1;
    std::uint32_t last_serial_ = 0;
    std::uint32_t asked_serial_ = 0;
    std::string received_;  ///< the beginning of a message
    std::optional<Ground> ground_;
};

/// Of D-Bus, lowest byte first: what was received so far without its first message, which is put into `message`; false
/// where none is complete. Nothing that is no message stays.
bool take_bus_message(std::string& received, std::string& message);

/// A message of the bus, as far as it matters here.
struct BusMessage {
    enum class Kind : std::uint8_t { other, reply, signal };
    Kind kind = Kind::other;
    std::uint32_t reply_to = 0;           ///< of a reply: the serial number of the call
    std::string member;                   ///< of a signal
    std::optional<std::uint32_t> number;  ///< of a reply: where it holds one, however often wrapped into variants
};
/// What is malformed is of no kind.
BusMessage read_bus_message(const std::string& message);

}  // namespace snapviewer
