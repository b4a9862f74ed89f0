#include "core/load/pytorch/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/base/limits.h"
#include "core/base/text.h"

namespace snapviewer::pytorch {

std::string_view ByteWindow::next_piece() {
    if (broken_) return {};
    try {
        return source_.next_piece();
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;
        broken_ = failure;
        return {};
    }
}

bool ByteWindow::extend() {
    if (source_.has_contiguous_pieces()) {
        const std::string_view piece = next_piece();
        const auto* data = reinterpret_cast<const std::uint8_t*>(piece.data());
        if (begin_ == nullptr) begin_ = start_ = at_ = end_ = data;
        assert(piece.empty() || data == end_);
        end_ += piece.size();
        return !piece.empty();
    }
    const auto taken = at_ - start_;
    if (start_ != nullptr) {
        begin_offset_ = offset_of(start_);
        kept_.erase(kept_.begin(), kept_.begin() + (start_ - begin_));
    }
    if (kept_.size() > limits::k_word_bytes) bytes::fail("holds a string longer than in any real snapshot", begin_offset_);
    const std::string_view piece = next_piece();
    kept_.insert(kept_.end(), piece.begin(), piece.end());
    begin_ = start_ = kept_.data();
    at_ = start_ + taken;
    end_ = begin_ + kept_.size();
    return !piece.empty();
}

void ByteWindow::fail_at_end() const {
    if (broken_) throw Failure(*broken_);
    const std::uint64_t size = offset_of(end_);
    bytes::fail_cut("is cut short: the file ends after " + std::to_string(size) + " bytes, in the middle of the data",
                    offset_of(start_));
}

namespace {

using namespace pickle;

/// Opcodes whose arguments have the same form: a fixed number of bytes; a length followed by that number of bytes; or lines
/// of text.
struct ArgumentForm {
    std::string_view opcodes;
    unsigned fixed_bytes = 0;
    unsigned length_bytes = 0;  ///< Number of bytes that encode the length
    unsigned lines = 0;
};

/// All opcodes of pickletools.
constexpr ArgumentForm k_argument_forms[] = {
    {"(.012N)]}aelstudboQR\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94\x97\x98"},
    {"Khq\x80\x82", 1},
    {"M\x83", 2},
    {"Jjr\x84", 4},
    {"G\x95", 8},
    {"CU\x8a\x8c", 0, 1},
    {"BTX\x8b", 0, 4},
    {"\x8d\x8e\x96", 0, 8},
    {"FILPSVgp", 0, 0, 1},
    {"ci", 0, 0, 2},
};

}  // namespace

bool PickleParts::is_at_pickle() {
    try {
        need(2);
        return looks_like_pickle({reinterpret_cast<const char*>(at_), 2});
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;
        return false;
    }
}

bool PickleParts::skip_one() {
    if (!is_at_pickle()) return false;
    try {
        while (true) {
            start_ = at_;
            need(1);
            if (*at_ == k_stop) break;
            if (!skip_instruction()) return false;
        }
        start_ = ++at_;
        return true;
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;
        return false;
    }
}

/// Skips an instruction and its argument. Returns false if the next byte is not an opcode.
bool PickleParts::skip_instruction() {
    const char opcode = static_cast<char>(*at_++);
    const auto* form = std::ranges::find_if(
        k_argument_forms, [&](const ArgumentForm& each) { return each.opcodes.find(opcode) != each.opcodes.npos; });
    if (form == std::end(k_argument_forms)) return false;
    need(form->length_bytes);
    at_ += form->length_bytes;
    const std::string_view length(reinterpret_cast<const char*>(at_ - form->length_bytes), form->length_bytes);
    skip_bytes(form->fixed_bytes + bytes::little_endian(length));
    for (unsigned line = 0; line < form->lines; ++line) skip_line();
    return true;
}

void PickleParts::skip_bytes(std::uint64_t count) {
    while (count > static_cast<std::uint64_t>(end_ - at_)) {
        count -= static_cast<std::uint64_t>(end_ - at_);
        start_ = at_ = end_;
        need(1);
    }
    at_ += count;
}

void PickleParts::skip_line() {
    while (true) {
        need(1);
        const void* end = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
        if (end != nullptr) {
            at_ = static_cast<const std::uint8_t*>(end) + 1;
            return;
        }
        start_ = at_ = end_;
    }
}

AfterPickle read_after_pickle(RestOfWindow rest, bool counts) {
    PickleParts parts(rest, rest.begin());
    AfterPickle behind;
    while (counts && parts.skip_one()) ++behind.pickles;
    RestOfWindow unread = parts.rest();
    behind.damage = bytes::read_to_end(unread);
    return behind;
}

void log_other_parts(Snapshot& snapshot, std::uint32_t part, std::uint32_t parts) {
    if (parts < 2) return;
    snapshot.log.add("other_snapshots", {.count = parts - 1},
                     {fmt::format("the file holds {} pickles one after another; part {} is shown, and --part opens another",
                                  parts, part)});
}

bool looks_like_pickle(std::string_view front) {
    if (front.size() < 2) return false;
    const auto second = static_cast<std::uint8_t>(front[1]);
    switch (static_cast<std::uint8_t>(front[0])) {
        case k_proto: return second >= 2;
        case k_mark: return second == k_dict || second == k_list;  // begin of a pickle of protocol 0
        case k_empty_dict:
        // Begin of a pickle of protocol 1.
        case k_empty_list: return second == k_binput || second == k_mark || second == k_stop;
        default: return false;
    }
}

std::size_t torch_save_number_end(std::string_view front) {
    // A LONG1 of 80 bits, torch.save's fixed number, and the STOP at the end of its pickle.
    constexpr std::string_view k_number = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const std::size_t at = front.substr(0, k_torch_save_front).find(k_number);
    return at == front.npos ? 0 : at + k_number.size();
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
    if (!text.starts_with('-')) return parse_number<std::uint64_t>(text);
    const std::optional<std::int64_t> negative = parse_number<std::int64_t>(text);
    return negative ? std::optional(static_cast<std::uint64_t>(*negative)) : std::nullopt;
}

std::optional<double> parse_real(std::string_view text) { return parse_number<double>(text); }

std::optional<std::string> parse_raw_unicode(std::string_view text) {
    std::string utf8;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (c != '\\' || (next != 'u' && next != 'U')) {
            append_utf8(utf8, static_cast<unsigned char>(c));
            ++at;
            continue;
        }
        const std::size_t digits = next == 'u' ? 4 : 8;
        const std::string_view hex = text.substr(at + 2, digits);
        const std::optional<std::uint32_t> code = parse_number<std::uint32_t>(hex, 16);
        if (hex.size() != digits || !code || *code > 0x10FFFF) return std::nullopt;
        append_utf8(utf8, *code);
        at += 2 + digits;
    }
    return utf8;
}

std::optional<std::uint64_t> parse_long(std::string_view bytes) {
    const bool is_negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
    const char filler = is_negative ? '\xFF' : '\0';
    const std::size_t size = std::min<std::size_t>(bytes.size(), sizeof(std::uint64_t));
    if (bytes.substr(size).find_first_not_of(filler) != bytes.npos) return std::nullopt;
    const std::uint64_t value = bytes::little_endian(bytes.substr(0, size));
    return is_negative && size < sizeof(std::uint64_t) ? value | ~std::uint64_t{0} << (8 * size) : value;
}

std::string dotted_lines(std::string_view text) {
    const std::size_t module_end = text.find('\n');
    const std::size_t name_end = module_end == text.npos ? text.npos : text.find('\n', module_end + 1);
    if (name_end == text.npos) return {};
    return std::string(text.substr(0, module_end)) + '.' +
           std::string(text.substr(module_end + 1, name_end - module_end - 1));
}

bool is_dotted_name(std::string_view text) {
    const auto is_of_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; };
    return !text.empty() && std::ranges::all_of(text, is_of_name);
}

namespace {

constexpr int k_depth = 64;  // maximum depth of open values in a snapshot
constexpr std::size_t k_nowhere = ~std::size_t{0};

/// Closes the open values on a pickle's stack, from the outermost value to the innermost. The contents of an open value lie
/// above it on the stack: after a mark if the pickle adds items in groups, else as a single item, or as a key and its value.
class OpenValues {
public:
    OpenValues(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks)
        : builder_(builder), stack_(stack), marks_(marks) {}

    /// Adds all values above `at` to the value at `at`. Returns false if the value is not complete enough to be kept.
    bool close(std::size_t at, std::size_t level, int depth) {
        const Value value = stack_[at];
        if (depth > k_depth) return false;
        if (value.kind != Value::Kind::list && value.kind != Value::Kind::dict) return true;
        const std::size_t first = at + 1;
        while (level < marks_.size() && marks_[level] < first) ++level;  // marks before the value do not belong to it
        const bool has_group = level < marks_.size() && marks_[level] == first;
        const std::size_t inner_level = level + (has_group ? 1 : 0);
        const std::size_t next_mark = inner_level < marks_.size() ? marks_[inner_level] : stack_.size();
        const bool is_last = first >= std::min(next_mark, stack_.size());
        if (is_last) return value.kind == Value::Kind::list || (!has_group && builder_.is_finished(value));
        const std::size_t last = std::min(next_mark, stack_.size()) - 1;
        const std::size_t open = value.kind == Value::Kind::dict ? open_value_of_dict(first, last)
                                 : has_group                     ? open_item_of_group(first, last)
                                                                 : first;
        const bool is_kept = open < stack_.size() && close(open, inner_level, depth + 1);
        if (value.kind == Value::Kind::list) {
            builder_.append(value, stack_.subspan(first, open - first + (is_kept ? 1 : 0)));
            return true;
        }
        if (at != 0) return false;  // the dict is an event, segment or frame that lacks some of its keys
        const std::size_t whole_pairs = open == k_nowhere ? 0 : (open - first) / 2 * 2;
        builder_.set_items(value, stack_.subspan(first, whole_pairs + (is_kept ? 2 : 0)));
        return true;
    }

private:
    /// Returns the index of the last item of a group, the only item that may be unfinished.
    std::size_t open_item_of_group(std::size_t first, std::size_t last) const {
        const bool lies_in_list = last > first && stack_[last].kind == Value::Kind::dict &&
                                  stack_[last - 1].kind == Value::Kind::list && builder_.is_empty(stack_[last - 1]);
        return lies_in_list ? last - 1 : last;
    }

    /// Returns the index of the unfinished value of a dict. Keys are strings, so the first value in a key's place that is
    /// not a string belongs to the value before it.
    std::size_t open_value_of_dict(std::size_t first, std::size_t last) const {
        for (std::size_t key = first; key <= last; key += 2) {
            if (stack_[key].kind != Value::Kind::string) return key == first ? k_nowhere : key - 1;
        }
        const bool ends_with_key = (last - first) % 2 == 0;
        if (!ends_with_key) return last;
        return last + 1 < stack_.size() ? k_nowhere : last + 1;
    }

    ObjectBuilder& builder_;
    std::span<const Value> stack_;
    std::span<const std::size_t> marks_;
};

}  // namespace

Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks) {
    if (stack.empty()) return {};
    OpenValues(builder, stack, marks).close(0, 0, 0);
    return stack.front();
}

}  // namespace snapviewer::pytorch
