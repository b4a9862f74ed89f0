#include "core/analysis/recorder_facts.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

namespace snapviewer {
namespace {

/// Maximum accepted amount: far above every real card, and so low that sums fit in 64 bits.
constexpr std::uint64_t k_most_told_bytes = std::uint64_t{1} << 52;

const nlohmann::json* member(const nlohmann::json* object, const char* key) {
    if (object == nullptr || !object->is_object()) return nullptr;
    const auto found = object->find(key);
    return found == object->end() ? nullptr : &*found;
}

std::optional<std::uint64_t> number(const nlohmann::json* value) {
    if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
    return value->get<std::uint64_t>();
}

std::optional<ToldBytes> told(const nlohmann::json* object, const char* key) {
    const auto bytes = number(member(object, key));
    return bytes && *bytes <= k_most_told_bytes ? std::optional(ToldBytes{*bytes}) : std::nullopt;
}

/// Takes total and free memory from one source only, because NVML and CUDA count a card's memory differently.
void take_card(const nlohmann::json* nvml, const nlohmann::json* torch, CardFigures& figures) {
    figures.total = told(nvml, "total_bytes");
    const auto used = told(nvml, "used_bytes");
    if (figures.total && used && used->bytes <= figures.total->bytes) {
        figures.free = ToldBytes{figures.total->bytes - used->bytes};
        figures.this_process = told(nvml, "this_process_bytes");
        figures.others = told(nvml, "other_processes_bytes");
        figures.other_count = number(member(nvml, "other_processes"));
        return;
    }
    figures.total = told(torch, "device_total_bytes");
    figures.free = told(torch, "device_free_bytes");
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
    figures.allocated = told(torch, "allocated_bytes");
    figures.reserved = told(torch, "reserved_bytes");
    const nlohmann::json* oom = member(&json, "oom");
    figures.demand = told(oom, "wanted_bytes");
    figures.free_then = told(oom, "free_bytes");
    // Without a limit, PyTorch reports the size of the card according to CUDA, so only a smaller value is a limit.
    const auto limit = told(oom, "limit_bytes");
    const auto total = told(torch, "device_total_bytes");
    if (limit && total && limit->bytes < total->bytes) figures.allowed = limit;
    return figures;
}

}  // namespace snapviewer
