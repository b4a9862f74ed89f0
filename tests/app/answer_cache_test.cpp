#include "app/serve/answer_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace snapviewer {
namespace {

using namespace std::chrono_literals;
using Outcome = serve::ChildAnswer::Outcome;

bool nobody_leaves() { return false; }

serve::AnswerCache::Make answering(const std::string& text, std::atomic<int>& made, int status = 0) {
    return [&made, text, status](const auto&, std::size_t max_output_bytes) {
        ++made;
        if (text.size() > max_output_bytes) return serve::ChildAnswer{.outcome = Outcome::too_long};
        return serve::ChildAnswer{.status = status, .output = text};
    };
}

TEST(AnswerCacheTest, KeepsWhatWentWell) {
    serve::AnswerCache cache(2);
    std::atomic<int> made{0};
    EXPECT_EQ(cache.get("a", 0, answering("one", made), nobody_leaves)->output, "one");
    EXPECT_EQ(cache.get("a", 0, answering("two", made), nobody_leaves)->output, "one");
    EXPECT_EQ(cache.get("b", 0, answering("three", made, 1), nobody_leaves)->status, 1);
    EXPECT_EQ(cache.get("b", 0, answering("four", made), nobody_leaves)->output, "four");
    EXPECT_EQ(made, 3);
}

TEST(AnswerCacheTest, ForgetsTheOldest) {
    serve::AnswerCache cache(1);
    std::atomic<int> made{0};
    const std::string large(std::size_t{15} << 20, 'x');
    for (const char* name : {"a", "b", "c", "d", "a", "e"}) cache.get(name, 0, answering(large, made), nobody_leaves);
    EXPECT_EQ(made, 5) << "a was asked for twice";
    cache.get("a", 0, answering(large, made), nobody_leaves);
    EXPECT_EQ(made, 5);
    cache.get("b", 0, answering(large, made), nobody_leaves);
    EXPECT_EQ(made, 6);
}

TEST(AnswerCacheTest, WaitsForTheMemoryOfAnswersThatAreHeld) {
    serve::AnswerCache cache(8);
    std::atomic<int> made{0};
    const std::string large(std::size_t{60} << 20, 'x');
    std::vector<serve::AnswerCache::Answer> held;
    for (const char* name : {"a", "b", "c", "d"}) held.push_back(cache.get(name, 0, answering(large, made), nobody_leaves));
    int waits = 0;
    const auto leaves = [&] { return ++waits > 3; };
    EXPECT_EQ(cache.get("e", 0, answering(large, made), leaves)->outcome, Outcome::stopped);
    EXPECT_EQ(made, 5) << "it was found to be long, and does not run again";
    EXPECT_EQ(cache.get("short", 0, answering("short", made), nobody_leaves)->output, "short");
    held.pop_back();
    EXPECT_EQ(cache.get("e", 0, answering(large, made), nobody_leaves)->output, large);
    EXPECT_EQ(made, 7);
}

TEST(MemoryShareTest, GivesPartsInOrder) {
    serve::MemoryShare share(10);
    auto six = share.take(6, nobody_leaves);
    auto four = share.take(4, nobody_leaves);
    ASSERT_TRUE(six && four);
    EXPECT_EQ(share.take(1, [] { return true; }), nullptr);
    six->shrink_to(5);
    six->shrink_to(9);  // shrink_to() never grows a part
    auto one = share.take(1, nobody_leaves);
    ASSERT_TRUE(one);
    std::shared_ptr<serve::MemoryShare::Part> large;
    std::atomic<bool> is_asked{false};
    std::thread waiting([&] {
        large = share.take(100, [&] {
            is_asked = true;
            return false;
        });
    });
    while (!is_asked) std::this_thread::yield();
    four = nullptr;
    EXPECT_EQ(share.take(1, [] { return true; }), nullptr) << "it would overtake the large one";
    six = nullptr;
    one = nullptr;
    waiting.join();
    EXPECT_NE(large, nullptr) << "more than the limit, once there is no other";
}

TEST(AnswerCacheTest, MakesOneForAllWhoAskAndFewAtOnce) {
    serve::AnswerCache cache(2);
    std::atomic<int> made{0}, at_work{0}, most{0};
    const auto make = [&](const auto&, std::size_t) {
        ++made;
        most = std::max(most.load(), ++at_work);
        std::this_thread::sleep_for(50ms);
        --at_work;
        return serve::ChildAnswer{.output = "x"};
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 30; ++i)
        readers.emplace_back([&, i] { EXPECT_EQ(cache.get(std::to_string(i % 6), 0, make, nobody_leaves)->output, "x"); });
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(made, 6);
    EXPECT_EQ(most, 2);
}

/// Runs until a stop is requested.
serve::ChildAnswer endless(const std::function<bool()>& should_stop, std::size_t) {
    while (!should_stop()) std::this_thread::sleep_for(1ms);
    return {.outcome = Outcome::stopped};
}

TEST(AnswerCacheTest, StopsWhatNobodyWaitsFor) {
    serve::AnswerCache cache(1);
    std::atomic<bool> has_left{false};
    std::thread first(
        [&] { EXPECT_EQ(cache.get("a", 0, endless, [&] { return has_left.load(); })->outcome, Outcome::stopped); });
    std::this_thread::sleep_for(20ms);
    std::thread second(
        [&] { EXPECT_EQ(cache.get("b", 0, endless, [&] { return has_left.load(); })->outcome, Outcome::stopped); });
    std::this_thread::sleep_for(20ms);
    has_left = true;
    first.join();
    second.join();
    std::atomic<int> made{0};
    EXPECT_EQ(cache.get("a", 0, answering("again", made), nobody_leaves)->output, "again");
}

TEST(AnswerCacheTest, GoesOnForOthersWhenTheFirstReaderLeaves) {
    serve::AnswerCache cache(1);
    std::atomic<bool> has_left{false}, may_end{false};
    const auto make = [&](const std::function<bool()>& should_stop, std::size_t) {
        while (!may_end && !should_stop()) std::this_thread::sleep_for(1ms);
        return serve::ChildAnswer{.output = "x"};
    };
    std::thread first([&] { cache.get("a", 0, make, [&] { return has_left.load(); }); });
    std::this_thread::sleep_for(20ms);
    std::thread second([&] { EXPECT_EQ(cache.get("a", 0, make, nobody_leaves)->output, "x"); });
    std::this_thread::sleep_for(20ms);
    has_left = true;
    std::this_thread::sleep_for(100ms);
    may_end = true;
    first.join();
    second.join();
}

TEST(AnswerCacheTest, EndsEverything) {
    serve::AnswerCache cache(1);
    std::vector<std::thread> readers;
    for (int i = 0; i < 5; ++i)
        readers.emplace_back(
            [&, i] { EXPECT_EQ(cache.get(std::to_string(i / 2), 0, endless, nobody_leaves)->outcome, Outcome::stopped); });
    std::this_thread::sleep_for(50ms);
    cache.end_all();
    for (std::thread& reader : readers) reader.join();
}

TEST(AnswerCacheTest, AFailureInsideIsAnAnswer) {
    serve::AnswerCache cache(1);
    const auto fail = [](const auto&, std::size_t) -> serve::ChildAnswer { throw std::bad_alloc(); };
    EXPECT_EQ(cache.get("a", 0, fail, nobody_leaves)->outcome, Outcome::no_program);
    EXPECT_EQ(cache.get("a", 0, fail, nobody_leaves)->outcome, Outcome::no_program);
}

}  // namespace
}  // namespace snapviewer
