#include "core/load/pytorch/json_scanner.h"

#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tests/unit/json_pieces.h"

namespace snapviewer {
namespace {

using test::Pieces;

/// Records all parsed values as one line, to compare two parsers.
class Scan {
public:
    void null() { line_ += "null "; }
    void boolean(bool value) { line_ += value ? "true " : "false "; }
    void whole(std::uint64_t value) { line_ += "whole:" + std::to_string(value) + " "; }
    void negative(std::int64_t value) { line_ += "negative:" + std::to_string(value) + " "; }
    void real(double value) { line_ += "real:" + std::to_string(std::bit_cast<std::uint64_t>(value)) + " "; }
    void string(std::string_view text) { line_.append("string:").append(text).append(" "); }
    void key(std::string_view text) { line_.append("key:").append(text).append(" "); }
    void begin_object() { line_ += "{ "; }
    void end_object() { line_ += "} "; }
    void begin_array() { line_ += "[ "; }
    void end_array() { line_ += "] "; }
    const std::string& line() const { return line_; }

private:
    std::string line_;
};

/// Records the same line from nlohmann/json.
class PeerScan : public nlohmann::json_sax<nlohmann::json> {
public:
    bool null() override {
        return done([&] { record_.null(); });
    }
    bool boolean(bool value) override {
        return done([&] { record_.boolean(value); });
    }
    bool number_integer(number_integer_t value) override {
        return done([&] { record_.negative(value); });
    }
    bool number_unsigned(number_unsigned_t value) override {
        return done([&] { record_.whole(value); });
    }
    bool number_float(number_float_t value, const string_t&) override {
        return done([&] { record_.real(value); });
    }
    bool string(string_t& text) override {
        return done([&] { record_.string(text); });
    }
    bool key(string_t& text) override {
        return done([&] { record_.key(text); });
    }
    bool start_object(std::size_t) override {
        return done([&] { record_.begin_object(); });
    }
    bool end_object() override {
        return done([&] { record_.end_object(); });
    }
    bool start_array(std::size_t) override {
        return done([&] { record_.begin_array(); });
    }
    bool end_array() override {
        return done([&] { record_.end_array(); });
    }
    bool binary(binary_t&) override { return false; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }
    const std::string& line() const { return record_.line(); }

private:
    template <typename Step>
    static bool done(Step step) {
        step();
        return true;
    }
    Scan record_;
};

struct Outcome {
    std::optional<std::string> line;  ///< nullopt if the document was refused
    std::string error;
    std::uint64_t offset = 0;
    bool is_cut = false;
    bool is_damage = false;
    bool operator==(const Outcome&) const = default;
};

Outcome scan(std::string_view text, std::size_t piece_size) {
    Pieces pieces(text, piece_size);
    Scan record;
    try {
        pytorch::JsonScanner(pieces, record).run();
    } catch (const Failure& failure) {
        return {std::nullopt, failure.error.message, failure.error.offset.value(), failure.is_cut, failure.is_damage};
    }
    return {record.line(), ""};
}

std::optional<std::string> scan_by_peer(const std::string& text) {
    PeerScan record;
    if (!nlohmann::json::sax_parse(text, &record)) return std::nullopt;
    return record.line();
}

/// Generates random documents that cover the whole grammar.
class RandomJson {
public:
    explicit RandomJson(std::uint32_t seed) : random_(seed) {}

    std::string document() {
        text_.clear();
        space();
        value(0);
        space();
        return text_;
    }
    /// Returns the text with a few bytes changed, removed, repeated or cut off.
    std::string damaged(std::string text) {
        static constexpr std::string_view likely =
            "{}[]:,\"\\/u0123456789.eE+-abdfntrlse \t\n\xEF\xBB\xBF\xC3\xED\xA0\xF4\x90\x80\x1f";
        for (std::size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes) {
            const std::size_t at = below(text.size());
            const char other = below(4) == 0 ? static_cast<char>(1 + below(255)) : likely[below(likely.size())];
            switch (below(4)) {
                case 0: text[at] = other; break;
                case 1: text.erase(at, 1); break;
                case 2: text.insert(at, 1, other); break;
                default: text.resize(at); break;
            }
        }
        return text;
    }
    std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

private:
    std::string_view one_of(const std::vector<std::string_view>& choices) { return choices[below(choices.size())]; }
    void space() {
        while (below(4) == 0) text_ += one_of({" ", "\n", "\r", "\t"});
    }
    void value(int depth) {
        switch (below(depth < 6 ? 7 : 4)) {
            case 0: text_ += one_of({"null", "true", "false"}); break;
            case 1: number(); break;
            case 2:
            case 3: string(); break;
            case 4: list('{', '}', depth); break;
            default: list('[', ']', depth); break;
        }
    }
    void list(char open, char close, int depth) {
        text_ += open;
        for (std::size_t count = below(5), i = 0; i < count; ++i) {
            if (i > 0) text_ += ',';
            space();
            if (open == '{') {
                string();
                space();
                text_ += ':';
                space();
            }
            value(depth + 1);
            space();
        }
        text_ += close;
    }
    void number() {
        if (below(3) == 0) text_ += '-';
        text_ += one_of({"0", "7", "12", "4096", "2147483648", "9007199254740993", "9223372036854775807",
                         "9223372036854775808", "9999999999999999999", "18446744073709551615", "18446744073709551616",
                         "123456789012345678901234567890"});
        if (below(3) == 0) text_.append(".").append(one_of({"0", "5", "000000001", "14159265358979323846264338327950288"}));
        if (below(3) == 0)
            text_.append(one_of({"e", "E"}))
                .append(one_of({"", "+", "-"}))
                .append(one_of({"0", "1", "07", "20", "300", "400", "99999999999999999999"}));
    }
    void string() {
        text_ += '"';
        for (std::size_t count = below(6); count > 0; --count) {
            text_ += one_of({"a",
                             "frame",
                             "torch::unwind::unwind()",
                             "/usr/lib/python3/site-packages/torch/nn/modules/module.py",
                             "\\n",
                             "\\\"",
                             "\\\\",
                             "\\/",
                             "\\b\\f\\r\\t",
                             "\\u0041",
                             "\\u00e9",
                             "\\uFFFF",
                             "\\ud83d\\uDE00",
                             "\\u0000",
                             "\x7F",
                             "\u00e9",
                             "\u20ac",
                             "\U0001F600",
                             "\uFFFF",
                             "\U0010FFFF",
                             " ",
                             "\\u000A"});
        }
        text_ += '"';
    }

    std::mt19937 random_;
    std::string text_;
};

void expect_agreement(const std::string& text, std::size_t piece_size) {
    const Outcome outcome = scan(text, piece_size);
    ASSERT_EQ(outcome.line, scan_by_peer(text)) << text << "\n" << outcome.error << " at " << outcome.offset;
    ASSERT_LE(outcome.offset, text.size());
}

TEST(JsonScanner, AgreesWithNlohmannOnRandomDocuments) {
    RandomJson random(1);
    int accepted = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string text = random.document();
        accepted += scan(text, 1 << 20).line ? 1 : 0;
        expect_agreement(text, 1 + random.below(64));
    }
    EXPECT_GT(accepted, 2000) << "most of these documents are valid";
}

TEST(JsonScanner, AgreesWithNlohmannOnDamagedDocuments) {
    RandomJson random(2);
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = random.damaged(random.document());
        ++(scan(text, 1 << 20).line ? accepted : refused);
        expect_agreement(text, 1 + random.below(64));
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);
}

/// Excludes the byte 0, which ends the text for nlohmann/json and is an error for our scanner.
TEST(JsonScanner, AgreesWithNlohmannOnAnyBytes) {
    std::mt19937 random(3);
    for (std::size_t i = 0; i < 20'000; ++i) {
        std::string text = i % 2 == 0 ? "[\"" : "";
        for (std::size_t size = random() % 12; size > 0; --size) text += static_cast<char>(1 + random() % 255);
        expect_agreement(i % 2 == 0 ? text + "\"]" : text, 1 + i % 5);
    }
}

TEST(JsonScanner, GivesTheSameWhereverThePiecesEnd) {
    RandomJson random(4);
    for (int i = 0; i < 300; ++i) {
        const std::string whole = random.document();
        for (const std::string& text : {whole, random.damaged(whole)}) {
            const Outcome expected = scan(text, 1 << 20);
            for (std::size_t size = 1; size <= 64; ++size)
                ASSERT_EQ(scan(text, size), expected) << text << " in pieces of " << size;
        }
    }
}

TEST(JsonScanner, ReadsWhatAHandCanCheck) {
    EXPECT_EQ(scan(R"( {"a": [1, -2, 2.5, true, null], "b\n": "\u00e9\ud83d\ude00"} )", 3).line,
              "{ key:a [ whole:1 negative:-2 real:4612811918334230528 true null ] key:b\n string:\u00e9\U0001F600 } ");
    EXPECT_EQ(scan("18446744073709551615", 4).line, "whole:18446744073709551615 ");
    EXPECT_EQ(scan("\xEF\xBB\xBF[]", 1).line, "[ ] ") << "a byte order mark";
    EXPECT_EQ(scan("1e-400", 4).line, "real:0 ");
    EXPECT_EQ(scan("0.0000000001e-400", 4).line, "real:0 ");
}

/// The kinds of refusal: the text ends too early, it is not JSON, or it is more than any snapshot holds.
enum class Refusal { cut, damaged, too_much };

Refusal refusal_of(const Outcome& outcome) {
    return !outcome.is_cut ? Refusal::too_much : outcome.is_damage ? Refusal::damaged : Refusal::cut;
}

struct Broken {
    std::string_view text;
    Refusal refusal;
    std::uint64_t offset;
    std::string_view named = {};  ///< the bytes that the error names: what was found, or what may stand there
};

TEST(JsonScanner, SaysWhatIsWrongAndWhere) {
    const std::string deep(33, '[');
    const std::vector<Broken> cases = {
        {"", Refusal::cut, 0},
        {"[1, 2", Refusal::cut, 5},
        {"{\"ab", Refusal::cut, 4},
        {"[tru", Refusal::cut, 4},
        {"[1 2]", Refusal::damaged, 3, "'2'"},
        {"[1 2]", Refusal::damaged, 3, "',' or ']'"},
        {"{\"a\" 1}", Refusal::damaged, 5, "'1'"},
        {"{\"a\" 1}", Refusal::damaged, 5, "':'"},
        {"{a: 1}", Refusal::damaged, 1, "'a'"},
        {"[1,]", Refusal::damaged, 3, "']'"},
        {"[01]", Refusal::damaged, 2, "'1'"},
        {"[1.]", Refusal::damaged, 3, "']'"},
        {"[] x", Refusal::damaged, 3, "'x'"},
        {"[-NaN]", Refusal::damaged, 2, "'N'"},
        {"[Nan]", Refusal::damaged, 3, "'n'"},
        {"[Nan]", Refusal::damaged, 3, "'NaN'"},
        {"1e999", Refusal::damaged, 5},
        {std::string_view("[]\0", 3), Refusal::damaged, 2, "byte 0"},
        {"\"a\nb\"", Refusal::damaged, 2, "byte 10"},
        {"\"\\x\"", Refusal::damaged, 2, "'x'"},
        {"\"\\x\"", Refusal::damaged, 2, "\"\\/bfnrtu "},
        {"\"\\u12G4\"", Refusal::damaged, 5, "'G'"},
        {"\"\\ude00\"", Refusal::damaged, 7},
        {"\"\\ud83d!\"", Refusal::damaged, 7, "'!'"},
        {"\"\xC3(\"", Refusal::damaged, 2, "'('"},
        {deep, Refusal::too_much, 32},
    };
    for (const Broken& broken : cases) {
        const Outcome outcome = scan(broken.text, 2);
        EXPECT_EQ(outcome.line, std::nullopt) << broken.text;
        EXPECT_EQ(refusal_of(outcome), broken.refusal) << broken.text;
        EXPECT_NE(outcome.error.find(broken.named), std::string::npos) << broken.text << "\n" << outcome.error;
        EXPECT_EQ(outcome.offset, broken.offset) << broken.text;
    }
}

TEST(JsonScanner, RefusesAStringLargerThanAnySnapshots) {
    const auto quoted = [](std::size_t size) { return "\"" + std::string(size, 'a') + "\""; };
    EXPECT_TRUE(scan(quoted(limits::k_word_bytes), 1 << 20).line);
    const Outcome outcome = scan(quoted(limits::k_word_bytes + 1), 1 << 20);
    EXPECT_FALSE(outcome.line);
    EXPECT_LE(outcome.offset, limits::k_word_bytes + 1);
}

}  // namespace
}  // namespace snapviewer
