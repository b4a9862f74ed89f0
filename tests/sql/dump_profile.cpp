// Prints what the pictures and details of a profiler database are made of, as JSON, for a script to compare.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/document/document.h"

namespace snapviewer {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* k_not_yet = "Operations";  // the section that says that operations are still being read

Json describe(const std::vector<Series>& all) {
    Json json = Json::array();
    for (const Series& series : all) {
        json.push_back({{"name", series.name},
                        {"times_us", std::vector(series.time_us.begin(), series.time_us.end())},
                        {"values", std::vector(series.values.begin(), series.values.end())}});
    }
    return json;
}

Json describe(const std::vector<Track>& tracks) {
    Json json = Json::array();
    for (const Track& track : tracks) {
        Json ranges = Json::array();
        for (const Range& range : track.ranges) ranges.push_back({range.name, range.start_us, range.end_us});
        json.push_back(
            {{"name", track.name}, {"note", track.note}, {"ranges", std::move(ranges)}, {"series", describe(track.series)}});
    }
    return json;
}

/// Title -> rows of name and value; waits until everything is known.
Json describe_details(const Document& document, std::size_t device_index, AllocationId id) {
    while (true) {
        const auto sections = document.details->details(device_index, id);
        if (!sections) return {{"error", sections.error().text()}};
        Json json = Json::object();
        for (const DetailSection& section : *sections) json[section.title] = section.rows;
        if (!json.contains(k_not_yet)) return json;
    }
}

Json describe(const Document& document) {
    Json json = Json::array();
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        const DeviceTrace& trace = document.snapshot->devices[i];
        Json details = Json::array();
        for (std::uint32_t id = 0; document.details && id < trace.allocations.size(); ++id)
            details.push_back(describe_details(document, i, AllocationId{id}));
        json.push_back({{"device", trace.device},
                        {"curves", describe(trace.memory_series)},
                        {"tracks", describe(trace.tracks)},
                        {"details", std::move(details)}});
    }
    return json;
}

int run(const char* path) {
    Progress progress;
    const auto document = open_document(path, {.mesh = false}, progress);
    if (!document) {
        std::cerr << document.error().text() << '\n';
        return 1;
    }
    std::cout << describe(**document).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    return 0;
}

}  // namespace
}  // namespace snapviewer

int main(int argument_count, char** arguments) {
    if (argument_count != 2) {
        std::fputs("usage: dump_profile FILE\n", stderr);
        return 2;
    }
    return snapviewer::run(arguments[1]);
}
