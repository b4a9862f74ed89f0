#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer::test {

/// Builds a zip file by hand, with stored members unless specified otherwise (PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and
/// 4.3.16).
class ZipText {
public:
    ZipText& member(std::string_view name, std::string_view text) { return packed_member(name, 0, text, text); }
    /// Adds a member that is already packed with one of zip's methods.
    ZipText& packed_member(std::string_view name, int method, std::string_view packed, std::string_view text) {
        const std::uint64_t start = members_.size();
        const std::string about = little(10, 2) + little(0, 2) + little(static_cast<std::uint64_t>(method), 2) +
                                  little(0, 4) + little(checksum(text), 4) + little(packed.size(), 4) +
                                  little(text.size(), 4) + little(name.size(), 2) + little(0, 2);
        members_.append("PK\x03\x04").append(about).append(name).append(packed);
        directory_.append("PK\x01\x02")
            .append(little(10, 2))
            .append(about)
            .append(little(0, 10))
            .append(little(start, 4))
            .append(name);
        ++count_;
        return *this;
    }
    std::string bytes() const {
        return members_ + directory_ + "PK\x05\x06" + little(0, 4) + little(count_, 2) + little(count_, 2) +
               little(directory_.size(), 4) + little(members_.size(), 4) + little(0, 2);
    }

private:
    static std::string little(std::uint64_t value, int width) {
        std::string bytes;
        for (int i = 0; i < width; ++i) bytes += i < 8 ? static_cast<char>(value >> (8 * i) & 0xFF) : '\0';
        return bytes;
    }
    /// CRC-32 as zip uses it, computed bit by bit.
    static std::uint32_t checksum(std::string_view text) {
        std::uint32_t sum = 0xFFFFFFFF;
        for (const char c : text) {
            sum ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (0xEDB88320 & (0 - (sum & 1)));
        }
        return ~sum;
    }

    std::string members_;
    std::string directory_;
    std::uint64_t count_ = 0;
};

}  // namespace snapviewer::test
