#include "app/system/session_bus.h"

#include <gtest/gtest.h>

namespace snapviewer::session_bus_test {
namespace {

std::string bytes(std::initializer_list<int> numbers) {
    std::string text;
    for (const int each : numbers) text += static_cast<char>(each);
    return text;
}

/// By hand, as the specification of D-Bus says: a reply to call 3 from ":1.7" with the number 2 in a variant in a variant.
const std::string k_reply = bytes({'l', 2,   1,   1, 12,  0,   0, 0, 9,   0,   0,   0,   29, 0, 0, 0,  // head
                                   5,   1,   'u', 0, 3,   0,   0, 0,                                   // to call 3
                                   8,   1,   'g', 0, 1,   'v', 0, 0,                                   // a variant
                                   7,   1,   's', 0, 4,   0,   0, 0, ':', '1', '.', '7', 0,  0, 0, 0,  // from :1.7
                                   1,   'v', 0,   1, 'u', 0,   0, 0, 2,   0,   0,   0});
constexpr std::size_t k_fields_end = 45;

TEST(SessionBus, ReadsAReply) {
    const BusMessage read = read_bus_message(k_reply);
    EXPECT_EQ(read.kind, BusMessage::Kind::reply);
    EXPECT_EQ(read.reply_to, 3U);
    EXPECT_EQ(read.number, 2U);
}

TEST(SessionBus, TakesWholeMessagesAlone) {
    std::string received, message;
    for (const char each : k_reply + k_reply) {
        received += each;
        const bool is_whole = received.size() == k_reply.size();
        ASSERT_EQ(take_bus_message(received, message), is_whole);
        if (!is_whole) continue;
        EXPECT_EQ(message, k_reply);
    }
    EXPECT_TRUE(received.empty());
}

TEST(SessionBus, WhatIsMalformedIsOfNoKind) {
    for (std::size_t size = 16; size < k_fields_end; ++size)
        EXPECT_EQ(read_bus_message(k_reply.substr(0, size)).kind, BusMessage::Kind::other) << size;
    for (std::size_t at = 12; at < k_reply.size(); ++at) {
        for (const int value : {0, 1, 0x7f, 0xff}) {
            std::string damaged = k_reply;
            damaged[at] = static_cast<char>(value);
            (void)read_bus_message(damaged);  // and reads nothing beyond its end
        }
    }
    std::string received = k_reply, message;
    received[7] = 0x7f;  // a body of two gigabytes
    EXPECT_FALSE(take_bus_message(received, message));
    EXPECT_TRUE(received.empty()) << "whoever says that is no bus";
}

}  // namespace
}  // namespace snapviewer::session_bus_test
