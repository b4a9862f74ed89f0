#include "core/load/zip_archive.h"

#include <zip.h>

#include <utility>

#include "core/load/failure.h"
#include "core/load/limits.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_piece_bytes = 256 * 1024;

std::string zip_error_text(zip_error_t& error) {
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

}  // namespace

bool looks_like_zip(std::span<const std::byte> bytes) {
    return bytes.size() >= 4 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'} &&
           ((bytes[2] == std::byte{3} && bytes[3] == std::byte{4}) ||
            (bytes[2] == std::byte{5} && bytes[3] == std::byte{6}));
}

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

void ZipMemberReader::Close::operator()(zip_file* file) const { zip_fclose(file); }

ZipArchive::ZipArchive(std::span<const std::byte> bytes) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    if (source == nullptr) fail("cannot be read as a zip: " + zip_error_text(error));
    archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (!archive_) {
        zip_source_free(source);
        fail("is a damaged or cut zip (" + zip_error_text(error) + "); its directory, which ends the file, cannot be read",
             bytes.size());
    }
    zip_error_fini(&error);
    const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
    for (std::uint64_t index = 0; index < count; ++index) {
        zip_stat_t info;
        if (zip_stat_index(archive_.get(), index, 0, &info) != 0 || (info.valid & ZIP_STAT_NAME) == 0) continue;
        members_.push_back({info.name, index, (info.valid & ZIP_STAT_SIZE) != 0 ? info.size : 0});
    }
}

const ZipArchive::Member* ZipArchive::find(std::string_view name) const {
    for (const Member& member : members_) {
        if (member.name == name || member.name.ends_with("/" + std::string(name))) return &member;
    }
    return nullptr;
}

ZipMemberReader::ZipMemberReader(ZipArchive& archive, const ZipArchive::Member& member, Progress& progress)
    : name_(member.name), size_bytes_(member.size_bytes), progress_(progress) {
    file_.reset(zip_fopen_index(archive.archive_.get(), member.index, 0));
    if (!file_) fail(std::string("cannot be unpacked: ") + zip_strerror(archive.archive_.get()), {}, "member " + name_);
    for (std::vector<char>& piece : ring_) piece.resize(k_piece_bytes);
    thread_ = std::jthread([this](const std::stop_token& stop) { inflate_ahead(stop); });
}

void ZipMemberReader::inflate_ahead(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return filled_ - given_back_ < k_pieces; })) {
        const std::size_t slot = filled_ % k_pieces;
        lock.unlock();
        std::size_t size = 0;
        std::exception_ptr failure;
        try {
            size = inflate(ring_[slot]);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        sizes_[slot] = size;
        failure_ = failure;
        at_end_ = size == 0;
        filled_ += at_end_ ? 0 : 1;
        changed_.notify_one();
        if (at_end_) return;
    }
}

std::size_t ZipMemberReader::inflate(std::vector<char>& piece) {
    if (inflated_bytes_ > limits::k_member_bytes) fail("unpacks to more than 1 TiB", inflated_bytes_, "member " + name_);
    const zip_int64_t size = zip_fread(file_.get(), piece.data(), piece.size());
    if (size < 0) {
        fail(std::string("is a damaged or cut zip (") + zip_file_strerror(file_.get()) + ")", inflated_bytes_,
             "member " + name_);
    }
    inflated_bytes_ += static_cast<std::uint64_t>(size);
    return static_cast<std::size_t>(size);
}

std::string_view ZipMemberReader::next_piece() {
    if (progress_.stop_requested()) fail_stopped();
    std::unique_lock lock(mutex_);
    if (std::exchange(holds_piece_, false)) {
        ++given_back_;
        changed_.notify_one();
    }
    changed_.wait(lock, [&] { return filled_ > given_back_ || at_end_; });
    if (filled_ == given_back_) {
        if (failure_) std::rethrow_exception(failure_);
        return {};
    }
    holds_piece_ = true;
    const std::size_t slot = given_back_ % k_pieces;
    lock.unlock();
    taken_bytes_ += sizes_[slot];
    progress_.update(taken_bytes_, size_bytes_);
    return {ring_[slot].data(), sizes_[slot]};
}

}  // namespace snapviewer
