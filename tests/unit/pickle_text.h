#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include "core/load/formats.h"
#include "core/timeline/collect.h"

namespace snapviewer::test {

/// Builds a pickle instruction by instruction.
class PickleText {
public:
    PickleText& raw(std::string_view bytes) {
        bytes_ += bytes;
        return *this;
    }
    PickleText& proto(int version) { return raw("\x80").byte(version); }
    PickleText& dict() { return raw("}("); }  ///< EMPTY_DICT MARK, closed by end_dict
    PickleText& end_dict() { return raw("u"); }
    PickleText& list() { return raw("]("); }  ///< EMPTY_LIST MARK, closed by end_list
    PickleText& end_list() { return raw("e"); }
    PickleText& text(std::string_view text) { return raw("X").little(text.size(), 4).raw(text); }
    PickleText& number(std::uint64_t value) {  ///< LONG1 of 9 bytes, which holds any unsigned 64-bit number
        return raw("\x8a").byte(9).little(value, 8).byte(0);
    }
    PickleText& entry(std::string_view key, std::uint64_t value) { return text(key).number(value); }
    PickleText& entry(std::string_view key, std::string_view value) { return text(key).text(value); }
    PickleText& byte(int value) {
        bytes_ += static_cast<char>(value);
        return *this;
    }
    PickleText& little(std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i) byte(static_cast<int>(value >> (8 * i) & 0xFF));
        return *this;
    }
    PickleText& event(std::string_view action, std::uint64_t address, std::uint64_t size_bytes) {
        return dict().entry("action", action).entry("addr", address).entry("size", size_bytes).entry("stream", 0).end_dict();
    }
    /// A complete file around the events of one device.
    static PickleText snapshot_of(const PickleText& events) {
        return PickleText()
            .proto(2)
            .dict()
            .text("segments")
            .raw("]")
            .text("device_traces")
            .list()
            .list()
            .raw(events.bytes_)
            .end_list()
            .end_list()
            .end_dict()
            .raw(".");
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// RAII: a file that is removed by the destructor.
class ScratchFile {
public:
    explicit ScratchFile(std::string_view bytes) {
        path_ = std::filesystem::temp_directory_path() / ("snapviewer-unit-" + std::to_string(std::random_device{}()));
        std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

inline Result<std::shared_ptr<const Snapshot>> load_bytes(std::string_view bytes) {
    const ScratchFile scratch(bytes);
    Progress progress;
    Result<profilers::LoadedFile> file = load::load_file(scratch.path(), progress);
    if (!file) return file.error();
    complete_snapshot(*file->snapshot);
    return std::shared_ptr<const Snapshot>(std::move(file->snapshot));
}

}  // namespace snapviewer::test
