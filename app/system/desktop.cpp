#include "app/system/desktop.h"

#include <algorithm>

#include "core/base/text.h"

namespace snapviewer {
namespace {

/// The variant of a theme by its name. Desktops name dark variants "Adwaita-dark", "Yaru-blue-dark" or "Breeze-Dark".
mesh::ThemeVariant ground_of_theme(std::string_view name) {
    const std::string lower = lower_case(name);
    return lower.find("dark") != std::string::npos ? mesh::ThemeVariant::dark : mesh::ThemeVariant::light;
}

/// Reads the bytes of the XSETTINGS property. They are untrusted, because any program can write them.
class XsettingsReader {
public:
    explicit XsettingsReader(std::span<const unsigned char> bytes) : rest_(bytes) {
        is_highest_first_ = !bytes.empty() && bytes[0] == 1;
        skip(8);  // byte order, serial number
    }

    bool is_over() const { return is_over_; }
    void skip(std::size_t count) { take(count); }
    std::uint32_t number(std::size_t size) {
        std::uint32_t value = 0;
        const std::span<const unsigned char> bytes = take(size);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            value |= std::uint32_t{bytes[i]} << 8 * (is_highest_first_ ? bytes.size() - 1 - i : i);
        return value;
    }
    /// Reads a text and skips its padding to a multiple of four bytes.
    std::string text(std::size_t size) {
        const std::span<const unsigned char> bytes = take(size);
        skip((4 - size % 4) % 4);
        return {bytes.begin(), bytes.end()};
    }

private:
    std::span<const unsigned char> take(std::size_t count) {
        is_over_ |= count > rest_.size();
        if (is_over_) return {};
        const std::span<const unsigned char> taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }

    std::span<const unsigned char> rest_;
    bool is_highest_first_ = false;
    bool is_over_ = false;
};

std::string_view unquoted(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\"");
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\"") - begin + 1);
}

}  // namespace

DesktopPreferences read_xsettings(std::span<const unsigned char> bytes) {
    enum Kind { integer, string, colour };
    DesktopPreferences preferences;
    XsettingsReader reader(bytes);
    const std::uint32_t count = reader.number(4);
    for (std::uint32_t i = 0; i < count && !reader.is_over(); ++i) {
        const std::uint32_t kind = reader.number(1);
        reader.skip(1);
        const std::string name = reader.text(reader.number(2));
        reader.skip(4);  // serial number of the last change
        if (kind == Kind::integer) {
            const auto value = static_cast<std::int32_t>(reader.number(4));
            if (name == "Xft/DPI" && !reader.is_over() && value > 0) preferences.dots_per_inch = value / 1024.0;
        } else if (kind == Kind::string) {
            const std::string value = reader.text(reader.number(4));
            if (name == "Net/ThemeName" && !reader.is_over() && !value.empty()) preferences.ground = ground_of_theme(value);
        } else if (kind == Kind::colour) {
            reader.skip(8);
        } else {
            break;
        }
    }
    return preferences;
}

std::optional<mesh::ThemeVariant> read_gtk_settings(std::string_view text) {
    std::optional<mesh::ThemeVariant> named;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t sign = line.find('=');
        if (sign == std::string_view::npos) continue;
        const std::string_view key = unquoted(line.substr(0, sign));
        const std::string_view value = unquoted(line.substr(sign + 1));
        if (key == "gtk-application-prefer-dark-theme" && (value == "1" || value == "true")) return mesh::ThemeVariant::dark;
        if (key == "gtk-theme-name" && !value.empty()) named = ground_of_theme(value);
    }
    return named;
}

}  // namespace snapviewer
