// The part of a report about the card's whole memory, most of which a snapshot does not contain.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

nlohmann::ordered_json card_row_json(const CardRow& row) {
    nlohmann::ordered_json json = {{"part", card_part_name(row.part)}, {"bytes", row.bytes}};
    if (row.pid) json["pid"] = *row.pid;
    json["words"] = row.words;
    return json;
}

nlohmann::ordered_json card_use_json(const DeviceAnalyses& device, const CardUse& use) {
    nlohmann::ordered_json json = {
        {"source", figures_source_name(use.source)},
        {"where", use.where.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(use.where)},
        {"oom", use.is_of_oom},
        {"event", nullptr},
        {"total", use.total_bytes},
        {"rounding", use.rounding_bytes},
        {"excess", use.excess_bytes},
        {"rows", nlohmann::ordered_json::array()},
        {"notes", use.notes}};
    const auto event = use.moment ? device.event_id_of_moment(*use.moment) : std::nullopt;
    if (event) json["event"] = *event;
    for (const CardRow& row : use.rows) json["rows"].push_back(card_row_json(row));
    return json;
}

}  // namespace

nlohmann::ordered_json device_memory_json(DeviceAnalyses& device) {
    const auto uses = device.card_uses();
    nlohmann::ordered_json json;
    for (const CardUse& use : *uses) json.push_back(card_use_json(device, use));
    return json;
}

std::string device_memory_text(DeviceAnalyses& device) {
    const auto uses = device.card_uses();
    std::string text;
    for (const CardUse& use : *uses) {
        text += fmt::format("all memory of the card{}, {}{}\n", use.is_of_oom ? " when memory ran out" : "",
                            format_bytes(use.total_bytes), use.where.empty() ? "" : ", by " + use.where);
        for (const CardRow& row : use.rows) {
            text += fmt::format("  {:>10}  {:>5.1f} %  {}\n", format_bytes(row.bytes),
                                100 * static_cast<double>(row.bytes) / static_cast<double>(use.total_bytes), row.words);
        }
        for (const std::string& note : use.notes) text += fmt::format("  {}\n", note);
    }
    return text;
}

}  // namespace snapviewer
