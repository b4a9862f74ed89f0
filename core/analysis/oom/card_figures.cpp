#include "core/analysis/oom/card_use.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/trace/allocator_rules.h"

namespace snapviewer::oom {

const char* figures_source_name(FiguresSource source) {
    constexpr const char* k_names[] = {"recorder", "message", "given"};
    return k_names[static_cast<std::size_t>(source)];
}

bool are_of_oom(const CardFigures& figures, std::uint64_t demand_bytes, std::optional<std::uint64_t> free_bytes) {
    if (!figures.demand || !figures.free_at_oom || !free_bytes) return false;
    // PyTorch's messages state the bytes that were requested from the driver, its snapshots the bytes that the program
    // requested.
    const bool is_demand = figures.demand->may_be(demand_bytes) || figures.demand->may_be(segment_bytes_for(demand_bytes));
    return is_demand && figures.free_at_oom->may_be(*free_bytes);
}

namespace {

/// Maximum accepted amount: far above every real card, and so low that sums fit in 64 bits.
constexpr std::uint64_t k_max_figure_bytes = std::uint64_t{1} << 52;

const nlohmann::json* member(const nlohmann::json* object, const char* key) {
    if (object == nullptr || !object->is_object()) return nullptr;
    const auto found = object->find(key);
    return found == object->end() ? nullptr : &*found;
}

std::optional<std::uint64_t> number(const nlohmann::json* value) {
    if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
    return value->get<std::uint64_t>();
}

std::optional<RoundedBytes> reported_bytes(const nlohmann::json* object, const char* key) {
    const auto bytes = number(member(object, key));
    return bytes && *bytes <= k_max_figure_bytes ? std::optional(RoundedBytes{*bytes}) : std::nullopt;
}

/// Takes total and free memory from one source only, because NVML and CUDA count a card's memory differently.
void take_card(const nlohmann::json* nvml, const nlohmann::json* torch, CardFigures& figures) {
    figures.total = reported_bytes(nvml, "total_bytes");
    const auto used = reported_bytes(nvml, "used_bytes");
    if (figures.total && used && used->bytes <= figures.total->bytes) {
        figures.free = RoundedBytes{figures.total->bytes - used->bytes};
        figures.this_process = reported_bytes(nvml, "this_process_bytes");
        figures.others = reported_bytes(nvml, "other_processes_bytes");
        figures.other_count = number(member(nvml, "other_processes"));
        return;
    }
    figures.total = reported_bytes(torch, "device_total_bytes");
    figures.free = reported_bytes(torch, "device_free_bytes");
}

}  // namespace

Result<CardFigures> read_recorder_facts(std::string_view text) {
    const nlohmann::json json = parse_json(text);
    const auto device = number(member(&json, "device"));
    if (!device || *device > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
        return Error{ErrorCode::bad_file, "is not what snapviewer's recorder writes beside a snapshot: it names no device"};
    CardFigures figures{.source = FiguresSource::recorder};
    figures.device = static_cast<std::int32_t>(*device);
    const auto rank = number(member(&json, "rank"));
    if (rank && *rank <= std::numeric_limits<std::uint32_t>::max()) figures.rank = static_cast<std::uint32_t>(*rank);
    const nlohmann::json* torch = member(&json, "torch");
    take_card(member(&json, "nvml"), torch, figures);
    figures.allocated = reported_bytes(torch, "allocated_bytes");
    figures.reserved = reported_bytes(torch, "reserved_bytes");
    const nlohmann::json* oom = member(&json, "oom");
    figures.demand = reported_bytes(oom, "wanted_bytes");
    figures.free_at_oom = reported_bytes(oom, "free_bytes");
    // If no limit is set, PyTorch reports the size of the card according to CUDA, so only a smaller value is a limit.
    const auto limit = reported_bytes(oom, "limit_bytes");
    const auto total = reported_bytes(torch, "device_total_bytes");
    if (limit && total && limit->bytes < total->bytes) figures.allowed = limit;
    return figures;
}

namespace {

constexpr std::size_t k_max_amount_digits = 12;   // a million times the largest card, in bytes, has fewer
constexpr std::size_t k_max_amount_decimals = 6;  // PyTorch prints two decimals
constexpr std::size_t k_max_processes = 256;

/// Parses a message from left to right: words, numbers and amounts. A space in an expected word matches any amount of
/// whitespace, including line ends and no whitespace at all.
class MessageReader {
public:
    explicit MessageReader(std::string_view text) : text_(text) {}

    /// Parses all parts in order: expected words are given as texts, and values as optionals that receive them. Stops at the
    /// first part that does not match and returns false. The parts before it have been consumed then.
    template <typename... Parts>
    bool take(Parts&&... parts) {
        return (take_part(parts) && ...);
    }

    /// Parses a word such as "GPU", "Device" or "NPU".
    bool take_word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
        return at_ > begin;
    }

    /// Skips an amount of any size, even one that take() rejects as impossibly large.
    bool skip_bytes() {
        at_ += digits_at(text_, at_).size();
        if (take(".")) at_ += digits_at(text_, at_).size();
        return take_unit().has_value();
    }

private:
    bool take_part(std::string_view words) {
        std::size_t at = at_;
        for (const char each : words) {
            if (each == ' ') {
                while (at < text_.size() && std::string_view(" \t\r\n").find(text_[at]) != std::string_view::npos) ++at;
            } else {
                if (at >= text_.size() || text_[at] != each) return false;
                ++at;
            }
        }
        at_ = at;
        return true;
    }

    template <std::integral Number>
    bool take_part(std::optional<Number>& number) {
        const std::string_view digits = digits_at(text_, at_);
        number = parse_number<Number>(digits);
        if (number) at_ += digits.size();
        return number.has_value();
    }

    /// Parses an amount such as "20.00 MiB" or "512 bytes".
    bool take_part(std::optional<RoundedBytes>& amount) {
        amount.reset();
        const std::string_view whole = digits_at(text_, at_);
        const std::size_t point = at_ + whole.size();
        const bool has_point = point < text_.size() && text_[point] == '.';
        const std::string_view decimals = has_point ? digits_at(text_, point + 1) : std::string_view();
        if (whole.empty() || whole.size() > k_max_amount_digits || decimals.size() > k_max_amount_decimals) return false;
        std::uint64_t scale = 1;
        for (std::size_t i = 0; i < decimals.size(); ++i) scale *= 10;
        const std::size_t begin = std::exchange(at_, decimals.empty() ? point : point + 1 + decimals.size());
        const auto unit = take_unit();
        const std::uint64_t number = number_of(whole);
        if (!unit || number > k_max_figure_bytes / *unit) {
            at_ = begin;
            return false;
        }
        const std::uint64_t bytes = number * *unit + (number_of(decimals) * *unit + scale / 2) / scale;
        amount = RoundedBytes{bytes, *unit == 1 ? 0 : *unit / (2 * scale) + 1};
        return true;
    }

    static std::uint64_t number_of(std::string_view digits) { return parse_number<std::uint64_t>(digits).value_or(0); }

    std::optional<std::uint64_t> take_unit() {
        constexpr const char* k_units[] = {" bytes", " KiB", " MiB", " GiB", " TiB"};
        for (std::size_t i = 0; i < std::size(k_units); ++i) {
            if (take(k_units[i])) return std::uint64_t{1} << (10 * i);
        }
        return std::nullopt;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

RoundedBytes sum_of(const RoundedBytes& a, const RoundedBytes& b) {
    return {a.bytes + b.bytes, a.max_error_bytes + b.max_error_bytes};
}

/// Parses a sentence such as "Process 12 has 3.00 GiB memory in use. ". Returns false if no such sentence follows.
bool take_process(MessageReader& reader, CardFigures& figures) {
    MessageReader ahead = reader;
    std::optional<std::uint64_t> pid;
    if (ahead.take("Process ")) {
        if (!ahead.take(pid)) return false;
    } else {
        ahead.take("Including non-PyTorch memory, ");
        if (!ahead.take("this process")) return false;
    }
    std::optional<RoundedBytes> used;
    if (!ahead.take(" has ")) return false;
    // On Windows and WSL, NVML does not know the memory of a process, and PyTorch prints 17179869184.00 GiB.
    if (!ahead.take(used) && !ahead.skip_bytes()) return false;
    if (!ahead.take(" memory in use. ") || figures.processes.size() >= k_max_processes) return false;
    if (used && pid)
        figures.processes.push_back({*pid, *used});
    else if (used)
        figures.this_process = used;
    reader = ahead;
    return true;
}

/// Parses "Of the allocated memory 60.00 GiB is allocated by PyTorch, with 2.00 GiB allocated in private pools (e.g., CUDA
/// Graphs), and 5.00 GiB is reserved by PyTorch but unallocated."
void take_pytorch(MessageReader& reader, CardFigures& figures) {
    std::optional<RoundedBytes> allocated, in_pools, unallocated;
    if (!reader.take("Of the allocated memory ", allocated, " is allocated by PyTorch, ")) return;
    if (reader.take("with ") && !reader.take(in_pools, " allocated in private pools (e.g., CUDA Graphs), ")) return;
    if (!reader.take("and ", unallocated, " is reserved by PyTorch but unallocated")) return;
    figures.allocated = allocated;
    if (in_pools)
        figures.allocated = RoundedBytes{allocated->bytes - std::min(allocated->bytes, in_pools->bytes),
                                         allocated->max_error_bytes + in_pools->max_error_bytes};
    figures.private_idle = in_pools;
    figures.reserved = sum_of(*allocated, *unallocated);
}

/// Parses ". GPU 0 has a total capacity of 79.15 GiB of which 11.25 MiB is free. ...", the form since PyTorch 2.1. The first
/// releases misspelled it as "capacty".
bool take_sentences(MessageReader& reader, CardFigures& figures) {
    if (!reader.take(" has a total capac") || !(reader.take("ity of ") || reader.take("ty of "))) return false;
    if (!reader.take(figures.total, " of which ", figures.free, " is free. ")) return false;
    while (take_process(reader, figures)) {
    }
    MessageReader ahead = reader;
    std::optional<RoundedBytes> allowed;
    if (ahead.take(allowed, " allowed; ")) {
        figures.allowed = allowed;
        reader = ahead;
    }
    take_pytorch(reader, figures);
    return true;
}

/// Parses the older form, which Ascend still writes: "(GPU 0; 15.78 GiB total capacity; 14.56 GiB already allocated; 38.44
/// MiB free; 14.80 GiB reserved in total by PyTorch)". Up to PyTorch 1.3 the last part is "240.00 MiB cached", which is the
/// reserved but unallocated memory.
bool take_list(MessageReader& reader, CardFigures& figures) {
    std::optional<RoundedBytes> amount;
    while (reader.take("; ", amount)) {
        if (reader.take(" total capacity")) {
            figures.total = amount;
        } else if (reader.take(" already allocated")) {
            figures.allocated = amount;
        } else if (reader.take(" free")) {
            figures.free = amount;
        } else if (reader.take(" reserved in total by PyTorch")) {
            figures.reserved = amount;
        } else if (reader.take(" cached")) {
            if (figures.allocated) figures.reserved = sum_of(*figures.allocated, *amount);
        } else if (reader.take(" allowed")) {
            figures.allowed = amount;
        } else if (!reader.take(" current active")) {
            break;
        }
    }
    return figures.total && figures.free;
}

}  // namespace

std::optional<CardFigures> read_oom_message(std::string_view text) {
    MessageReader reader(text.substr(0, k_max_oom_message));
    CardFigures figures;
    std::optional<std::int32_t> device;
    if (!reader.take(k_oom_words, figures.demand)) return std::nullopt;
    const bool is_list = reader.take(" (");
    if (!is_list && !reader.take(". ")) return std::nullopt;
    if (!reader.take_word() || !reader.take(" ", device)) return std::nullopt;
    if (!(is_list ? take_list(reader, figures) : take_sentences(reader, figures))) return std::nullopt;
    figures.device = *device;
    figures.free_at_oom = figures.free;
    return figures;
}

std::optional<CardFigures> last_oom_message(std::string_view text) {
    for (std::size_t at = text.rfind(k_oom_words); at != std::string_view::npos; at = text.rfind(k_oom_words, at - 1)) {
        if (auto figures = read_oom_message(text.substr(at))) return figures;
        if (at == 0) break;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> rank_before_message(std::string_view line) {
    const auto number_at = [&](std::size_t at) { return parse_number<std::uint32_t>(digits_at(line, at)); };
    const std::string lower = lower_case(line);
    std::optional<std::uint32_t> rank;
    for (const std::string_view word : {"rank", "default"}) {
        for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
            const bool is_local = at >= 6 && lower.compare(at - 6, 5, "local") == 0;
            std::size_t digits = at + word.size();
            if (digits < lower.size() && std::string_view(" _:=#").find(lower[digits]) != std::string_view::npos) ++digits;
            if (const auto number = number_at(digits); number && !is_local) rank = number;
        }
    }
    if (rank) return rank;
    const std::size_t begin = !line.empty() && line.front() == '[' ? 1 : 0;
    const std::size_t end = begin + digits_at(line, begin).size();
    const std::string_view after = begin == 1 ? "]: " : ": ";
    return line.substr(end, after.size()) == after ? number_at(begin) : std::nullopt;
}

}  // namespace snapviewer::oom
