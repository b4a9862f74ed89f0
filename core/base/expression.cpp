#include "core/base/expression.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace snapviewer {
namespace {

constexpr std::size_t k_places_between_checks = 64;

/// How many parts an expression has once its repetitions are written out, which is what libstdc++ makes of it. It follows
/// them by recursion, so that their number has to be known before one is compiled. At least a good guess where the text is
/// no expression.
class PartCounter {
public:
    explicit PartCounter(std::string_view text) : text_(text) {}

    std::size_t count() {
        while (at_ < text_.size()) step(text_[at_]);
        std::size_t parts = 0;
        for (const std::size_t group : groups_) parts += group;
        return parts;
    }

private:
    void step(char c) {
        ++at_;
        switch (c) {
            case '\\': ++at_; return add(1);
            case '[': skip_class(); return add(1);
            case '(': groups_.push_back(2); return;
            case ')': return end_group();
            case '{': return repeat();
            default: return add(1);
        }
    }
    void add(std::size_t parts) {
        last_ = parts;
        groups_.back() = std::min(k_limit, groups_.back() + parts);
    }
    void end_group() {
        if (groups_.size() == 1) return;
        const std::size_t parts = groups_.back();
        groups_.pop_back();
        add(parts);
    }
    /// "[a-z]", "[)\\]]" or "[[:alpha:]_]".
    void skip_class() {
        while (at_ < text_.size() && text_[at_] != ']') {
            const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
            if (text_[at_] == '[' && (next == ':' || next == '.' || next == '=')) {
                at_ = std::min(text_.find(std::string{next, ']'}, at_ + 2), text_.size());
                at_ += std::size_t{2};
            } else {
                at_ += std::size_t{text_[at_] == '\\' ? 2U : 1U};
            }
        }
        ++at_;
    }
    void repeat() {
        std::size_t most = 1;
        std::size_t number = 0;
        for (; at_ < text_.size() && text_[at_] != '}'; ++at_) {
            const char c = text_[at_];
            number = c >= '0' && c <= '9' ? std::min(k_limit, number * 10 + static_cast<std::size_t>(c - '0')) : 0;
            most = std::max(most, number);
        }
        ++at_;
        const std::size_t parts = last_;
        add(std::min(k_limit, parts * (most - 1)));
        last_ = std::min(k_limit, parts * most);
    }

    static constexpr std::size_t k_limit = 1'000'000;
    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t last_ = 0;                ///< of what a repetition repeats
    std::vector<std::size_t> groups_{0};  ///< of those that are open
};

struct HasToEnd {};

/// A place in a text; moving on asks now and then whether to go on, since the matcher itself cannot be asked to stop.
class WatchedPlace {
public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    struct Watch {
        const std::function<bool()>& must_end;
        std::size_t moves = 0;
    };

    WatchedPlace() = default;
    WatchedPlace(const char* at, Watch* watch) : at_(at), watch_(watch) {}
    reference operator*() const { return *at_; }
    WatchedPlace& operator++() {
        if (watch_->must_end && ++watch_->moves % k_places_between_checks == 0 && watch_->must_end()) throw HasToEnd();
        ++at_;
        return *this;
    }
    WatchedPlace operator++(int) {
        const WatchedPlace before = *this;
        ++*this;
        return before;
    }
    WatchedPlace& operator--() {
        --at_;
        return *this;
    }
    WatchedPlace operator--(int) {
        const WatchedPlace before = *this;
        --*this;
        return before;
    }
    bool operator==(const WatchedPlace& other) const { return at_ == other.at_; }

private:
    const char* at_ = nullptr;
    Watch* watch_ = nullptr;
};

}  // namespace

// What is compiled matches where a text, from its beginning, comes to what is looked for: one attempt at the whole text
// instead of one from each of its places, and libstdc++'s way without back-tracking.
Result<Expression> Expression::compile(const std::string& text, Letters letters) {
    if (text.size() > k_longest)
        return Error{ErrorCode::bad_query, "is longer than " + std::to_string(k_longest) + " characters"};
    if (PartCounter(text).count() > k_most_parts)
        return Error{ErrorCode::bad_query, "repeats too much: more than " + std::to_string(k_most_parts) + " parts in all"};
    auto flags = std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    if (letters == Letters::either_case) flags |= std::regex::icase;
    try {
        const std::regex alone(text, flags);  // throws where parentheses would only match those around it
        return Expression(std::regex("[\\s\\S]*?(?:" + text + ")", flags));
    } catch (const std::regex_error&) {
        return Error{ErrorCode::bad_query, "is not a regular expression"};
    }
}

bool Expression::is_in(std::string_view text, const std::function<bool()>& must_end) const {
    WatchedPlace::Watch watch{must_end};
    const WatchedPlace begin(text.data(), &watch);
    const WatchedPlace end(text.data() + text.size(), &watch);
    try {
        return std::regex_search(begin, end, compiled_, std::regex_constants::match_continuous);
    } catch (const HasToEnd&) {
        return false;
    }
}

}  // namespace snapviewer
