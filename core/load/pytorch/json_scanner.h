#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/limits.h"
#include "core/load/bytes/sources.h"

namespace snapviewer::pytorch {

/// A parsed number. A whole number that fits into 64 bits keeps its exact value.
struct JsonNumber {
    enum class Kind : std::uint8_t { whole, negative, real };
    Kind kind = Kind::whole;
    std::uint64_t bits = 0;  ///< whole: the value; negative: its two's complement
    double real = 0;         ///< real: the value, also of a whole number beyond 64 bits
};

/// Splits JSON text (RFC 8259) into tokens. The text may arrive in pieces of any size. Skips a leading byte order mark,
/// requires UTF-8 in strings, and accepts NaN and infinities as Python writes them. All members throw a Failure with the
/// offset of the first byte that is not valid JSON.
class JsonText {
public:
    explicit JsonText(bytes::ByteSource& source) : source_(source) {}

    /// Offset of the next unread byte in the text.
    std::uint64_t offset() const { return piece_offset_ + static_cast<std::uint64_t>(at_ - piece_.data()); }

    /// Number of NaN, Infinity and -Infinity values so far. They are not valid JSON, but Python writes them.
    std::uint64_t non_numbers() const { return non_numbers_; }

protected:
    void skip_byte_order_mark();
    /// Skips white space and returns the next byte without consuming it, or -1 at the end of the text.
    int peek_token() {
        while (true) {
            const int c = peek();
            if (c > ' ' || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) return c;
            ++at_;
        }
    }
    /// Consumes the byte that peek() returned, even if another process has changed it in the mapped file meanwhile.
    void skip_peeked();
    void take_word(std::string_view word);
    /// Reads a string whose opening quote is the next byte. The result is valid until the next piece or string is read.
    std::string_view take_string();
    JsonNumber take_number();
    /// The unread part of the current piece.
    std::string_view ahead() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
    /// Consumes `bytes` bytes of ahead().
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

    bytes::ByteSource& source_;
    std::string_view piece_;
    std::uint64_t piece_offset_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::uint64_t non_numbers_ = 0;
    std::string text_;  ///< decoded string or number, if it contains escapes or spans several pieces
};

/// A handler that recognises arrays by their text, so that the scanner need not parse them again.
///     recall_array(string_view)   returns the length of a known array at the beginning of the text and handles that array;
///                                 0 if the array is unknown
///     remember_array(string_view) receives the text of an array that has just been parsed
template <typename Handler>
concept JsonRecaller = requires(Handler& handler, std::string_view text) {
    { handler.recall_array(text) } -> std::same_as<std::size_t>;
    handler.remember_array(text);
};

/// Parses one value and calls the handler for everything in it, in order:
///     null() boolean(bool) whole(uint64_t) negative(int64_t) real(double) string(string_view)
///     begin_object() key(string_view) end_object() begin_array() end_array()
/// If the handler throws a Failure without an offset, the scanner adds its own. If the handler is a JsonRecaller, the
/// scanner first asks it whether it knows an array, and passes the text of every other array after parsing it.
template <typename Handler>
class JsonScanner : public JsonText {
public:
    JsonScanner(bytes::ByteSource& source, Handler& handler) : JsonText(source), handler_(handler) {}

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
            default: pass_number(take_number());
        }
    }

    void pass_number(JsonNumber number) {
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
            skip_peeked();
        } else {
            do {
                if (peek_token() != '"') refuse("a key in quotes");
                handler_.key(take_string());
                if (peek_token() != ':') refuse("':'");
                skip_peeked();
                take_value();
            } while (has_next_value('}'));
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
            skip_peeked();
        } else {
            do take_value();
            while (has_next_value(']'));
        }
        --depth_;
        handler_.end_array();
    }

    void open() {
        if (++depth_ > limits::k_json_depth) bytes::fail("holds brackets nested deeper than in any real snapshot", offset());
        skip_peeked();
    }

    /// Consumes the byte after a value. Returns true if it is a comma, false if it is `bracket`.
    bool has_next_value(char bracket) {
        const int c = peek_token();
        if (c != ',' && c != bracket) refuse(bracket == '}' ? "',' or '}'" : "',' or ']'");
        skip_peeked();
        return c == ',';
    }

    Handler& handler_;
    int depth_ = 0;
};

}  // namespace snapviewer::pytorch
