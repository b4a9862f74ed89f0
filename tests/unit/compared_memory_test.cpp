#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace snapviewer {
namespace {

/// A pointer to memcmp() that the compiler can neither evaluate nor replace by a builtin.
int (*volatile g_compare)(const void*, const void*, std::size_t) = std::memcmp;

int sign(int number) { return (number > 0) - (number < 0); }

// The page in a browser has its own memcmp() (core/system/web/system.cpp).
TEST(ComparedMemory, DiffersAtTheFirstByteThatDoes) {
    std::array<unsigned char, 120> left{}, right{};
    for (std::size_t at = 0; at < left.size(); ++at) left[at] = right[at] = static_cast<unsigned char>(37 * at + 200);
    for (std::size_t from = 0; from < 9; ++from) {
        for (std::size_t size = 0; size <= 100; ++size) {
            ASSERT_EQ(g_compare(left.data() + from, right.data() + from, size), 0) << from << " " << size;
            for (std::size_t first = 0; first < size; ++first) {
                unsigned char& byte = right[from + first];
                unsigned char& later = right[from + size - 1];
                const unsigned char was = byte, was_later = later;
                later = static_cast<unsigned char>(~later);
                byte ^= 0x80;
                const int expected = left[from + first] < byte ? -1 : 1;
                ASSERT_EQ(sign(g_compare(left.data() + from, right.data() + from, size)), expected) << from << " " << size;
                ASSERT_EQ(sign(g_compare(right.data() + from, left.data() + from, size)), -expected) << from << " " << size;
                byte = was;
                later = was_later;
            }
        }
    }
}

// Checks all relative alignments of the two sides.
TEST(ComparedMemory, MayBeginAnywhere) {
    std::array<unsigned char, 120> left{}, right{};
    for (std::size_t shift = 0; shift < 16; ++shift) {
        for (std::size_t at = 0; at < 100; ++at) left[at] = right[at + shift] = static_cast<unsigned char>(37 * at + 200);
        for (std::size_t size = 0; size <= 100; ++size)
            ASSERT_EQ(g_compare(left.data(), right.data() + shift, size), 0) << shift << " " << size;
        right[shift + 50] ^= 1;
        EXPECT_NE(g_compare(left.data(), right.data() + shift, 51), 0) << shift;
        EXPECT_EQ(g_compare(left.data(), right.data() + shift, 50), 0) << shift;
    }
}

}  // namespace
}  // namespace snapviewer
