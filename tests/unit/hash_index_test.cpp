#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"

namespace snapviewer {
namespace {

TEST(HashIndex, NumbersDistinctTexts) {
    HashIndex rows;
    std::vector<std::string> names;
    const auto name_of = [&](std::uint32_t row) { return std::string_view(names[row]); };
    EXPECT_EQ(rows.find(std::string_view("a"), name_of), HashIndex::k_absent);
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t i = 0; i < 1000; ++i) {
            const std::string name = std::string(i % 40, 'x') + std::to_string(i);
            const std::uint32_t row = rows.find_or_add(std::string_view(name), name_of, names.size());
            if (row == names.size()) names.push_back(name);
            ASSERT_EQ(row, i);
        }
    }
    EXPECT_EQ(rows.find(std::string_view(names[77]), name_of), 77U);
    EXPECT_EQ(rows.find(std::string_view("absent"), name_of), HashIndex::k_absent);
}

TEST(HashIndex, AgreesWithAMapWhileKeysComeAndGo) {
    // A row is added for each key that is not in the table. The range of keys grows, so that the table grows, too.
    HashIndex rows;
    std::vector<std::uint64_t> keys;
    const auto key_of = [&](std::uint32_t row) { return keys[row]; };
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    std::mt19937 random(3);
    for (std::uint32_t step = 0; step < 60000; ++step) {
        const std::uint64_t key = std::uint64_t{random() % (16 + step / 20)} << 20;
        const auto known = expected.find(key);
        ASSERT_EQ(rows.find(key, key_of), known == expected.end() ? HashIndex::k_absent : known->second) << step;
        if (known == expected.end()) {
            keys.push_back(key);
            const auto row = static_cast<std::uint32_t>(keys.size() - 1);
            ASSERT_EQ(rows.find_or_add(key, key_of, row), row);
            expected.emplace(key, row);
        } else if (random() % 2 == 0) {
            rows.erase(key, key_of);
            expected.erase(known);
        } else {  // another row with the same key takes its place
            keys.push_back(key);
            known->second = static_cast<std::uint32_t>(keys.size() - 1);
            rows.find_or_add(key, key_of, 0) = known->second;
        }
    }
}

}  // namespace
}  // namespace snapviewer
