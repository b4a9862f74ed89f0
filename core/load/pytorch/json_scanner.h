#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/limits.h"

namespace snapviewer {

/// A number as it was written: whole if 64 bits hold it.
struct JsonNumber {
    enum class Kind : std::uint8_t { whole, negative, real };
    Kind kind = Kind::whole;
    std::uint64_t bits = 0;  ///< whole: the value; negative: its two's complement
    double real = 0;         ///< real: the value, also of a whole number beyond 64 bits
};

/// The words of JSON text (RFC 8259), whatever pieces it comes in. A byte order mark before it is skipped; strings must be
/// UTF-8; NaN and infinities are taken as Python writes them. All members throw Failure with the byte where the text
/// stops being JSON.
class JsonText {
public:
    explicit JsonText(ByteSource& source) : source_(source) {}

    /// Of the next byte to be read.
    std::uint64_t offset() const { return piece_offset_ + static_cast<std::uint64_t>(at_ - piece_.data()); }

    /// NaN, Infinity and -Infinity so far: JSON does not have them, Python writes them.
    std::uint64_t non_numbers() const { return non_numbers_; }

protected:
    void skip_byte_order_mark();
    /// The next byte that is not space, or -1 at the end.
    int peek_token() {
        while (true) {
            const int c = peek();
            if (c > ' ' || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) return c;
            ++at_;
        }
    }
    /// Past the byte that peek() gave. A mapped file may hold another by now, if somebody writes to it.
    void skip_seen();
    void take_word(std::string_view word);
    /// Takes a string whose opening quote comes next. What it gives is valid until the next piece or string is taken.
    std::string_view take_string();
    JsonNumber take_number();
    /// What is there of the text without fetching more.
    std::string_view ahead() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
    /// Past so many bytes of ahead().
    void skip_ahead(std::size_t bytes) { at_ += bytes; }
    [[noreturn]] void refuse(std::string_view expected);

private:
    int peek() { return at_ != end_ ? static_cast<unsigned char>(*at_) : next_piece(); }
    int next_piece();
    void keep(std::string_view bytes);
    void keep_next();
    void take_escape();
    std::uint32_t take_hex();
    void take_multibyte();
    JsonNumber take_any_number();
    JsonNumber take_non_number(bool is_negative);
    void take_digits();
    [[noreturn]] void reject(const std::string& what) const;

    ByteSource& source_;
    std::string_view piece_;
    std::uint64_t piece_offset_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::uint64_t non_numbers_ = 0;
    std::string text_;  ///< a string or number that does not stand whole in one piece as it is meant
};

/// A handler that need not be told what is in arrays whose text it had before.
///     recall_array(string_view)   how many of these bytes are an array that it knows, and has taken; 0 if none
///     remember_array(string_view) the text of the array that ended just now
template <typename Handler>
concept JsonRecaller = requires(Handler& handler, std::string_view text) {
    { handler.recall_array(text) } -> std::same_as<std::size_t>;
    handler.remember_array(text);
};

/// Reads one value and tells a handler of everything in it, in order:
///     null() boolean(bool) whole(uint64_t) negative(int64_t) real(double) string(string_view)
///     begin_object() key(string_view) end_object() begin_array() end_array()
/// A handler that throws Failure without a place is given this scanner's. One that is a JsonRecaller is asked first
/// whether it knows an array by its text, and told the text of every other once it has ended.
template <typename Handler>
class JsonScanner : public JsonText {
public:
    JsonScanner(ByteSource& source, Handler& handler) : JsonText(source), handler_(handler) {}

    void run() {
        try {
            skip_byte_order_mark();
            take_value();
            if (peek_token() >= 0) refuse("the end of the text");
        } catch (Failure& failure) {
            if (failure.error.code == ErrorCode::bad_file && !failure.error.offset) failure.error.offset = offset();
            throw;
        }
    }

private:
    void take_value() {
        switch (peek_token()) {
            case '{': take_object(); break;
            case '[': take_known_or_new_array(); break;
            case '"': handler_.string(take_string()); break;
            case 't':
                take_word("true");
                handler_.boolean(true);
                break;
            case 'f':
                take_word("false");
                handler_.boolean(false);
                break;
            case 'n':
                take_word("null");
                handler_.null();
                break;
            default: hand_over(take_number());
        }
    }

    void hand_over(JsonNumber number) {
        switch (number.kind) {
            case JsonNumber::Kind::whole: handler_.whole(number.bits); break;
            case JsonNumber::Kind::negative: handler_.negative(static_cast<std::int64_t>(number.bits)); break;
            case JsonNumber::Kind::real: handler_.real(number.real); break;
        }
    }

    void take_object() {
        open();
        handler_.begin_object();
        if (peek_token() == '}') {
            skip_seen();
        } else {
            do {
                if (peek_token() != '"') refuse("a key in quotes");
                handler_.key(take_string());
                if (peek_token() != ':') refuse("':'");
                skip_seen();
                take_value();
            } while (goes_on('}'));
        }
        --depth_;
        handler_.end_object();
    }

    void take_known_or_new_array() {
        if constexpr (JsonRecaller<Handler>) {
            if (const std::size_t known_bytes = handler_.recall_array(ahead()); known_bytes > 0) {
                skip_ahead(known_bytes);
                return;
            }
            const std::string_view text = ahead();
            const std::uint64_t begin = offset(), odd_before = non_numbers();
            take_array();
            const std::uint64_t size = offset() - begin;
            const bool is_in_one_piece = size <= text.size();
            if (is_in_one_piece && non_numbers() == odd_before)
                handler_.remember_array(text.substr(0, static_cast<std::size_t>(size)));
        } else {
            take_array();
        }
    }

    void take_array() {
        open();
        handler_.begin_array();
        if (peek_token() == ']') {
            skip_seen();
        } else {
            do take_value();
            while (goes_on(']'));
        }
        --depth_;
        handler_.end_array();
    }

    void open() {
        if (++depth_ > limits::k_json_depth) fail("holds brackets nested deeper than in any real snapshot", offset());
        skip_seen();
    }

    /// After a value: whether another follows before the closing bracket.
    bool goes_on(char bracket) {
        const int c = peek_token();
        if (c != ',' && c != bracket) refuse(bracket == '}' ? "',' or '}'" : "',' or ']'");
        skip_seen();
        return c == ',';
    }

    Handler& handler_;
    int depth_ = 0;
};

}  // namespace snapviewer
