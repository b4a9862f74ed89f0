#include "core/load/bytes/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

#include "core/base/limits.h"
#include "core/load/bytes/zip_callback.h"

namespace snapviewer::bytes {
namespace {

constexpr int k_zstandard = 93;  // libzip 1.7 has no name for Zstandard
constexpr std::uint64_t k_unknown_count = std::numeric_limits<std::uint64_t>::max();

/// Throws std::bad_alloc if `error` is a lack of memory, because that says nothing about the file.
void need_memory(const zip_error_t* error) {
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
}

std::string zip_error_text(zip_error_t& error) {
    need_memory(&error);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

int method_of(const zip_stat_t& info) { return (info.valid & ZIP_STAT_COMP_METHOD) != 0 ? info.comp_method : ZIP_CM_STORE; }

/// Returns the name for make_unpacker(): "" if members with this method are not compressed, null if it is not supported.
/// libzip itself decompresses nothing, because it neither limits the memory nor knows Zstandard before version 1.8.
const char* packing_of_method(int method) {
    switch (method) {
        case ZIP_CM_STORE: return "";
        case ZIP_CM_DEFLATE: return "zip-deflate";
        case ZIP_CM_BZIP2: return "bzip2";
        case ZIP_CM_LZMA: return "lzma";
        case ZIP_CM_XZ: return "xz";
        case k_zstandard: return "zstd";
        default: return nullptr;
    }
}

std::string why_not_unpacked(const zip_stat_t& info) {
    const bool is_encrypted = (info.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && info.encryption_method != ZIP_EM_NONE;
    if (is_encrypted) return "is encrypted; unpack it with its password first";
    const int method = method_of(info);
    if (packing_of_method(method) != nullptr) return "";
    const std::string name = method == ZIP_CM_DEFLATE64 ? "Deflate64"
                             : method == ZIP_CM_PPMD    ? "PPMd"
                                                        : "method " + std::to_string(method);
    return "is compressed with " + name + ", which is not supported; unpack it first, or compress it with deflate";
}

/// Returns the number of members in the record of zip64, whose position is in the 20 bytes before the end record. Returns
/// k_unknown_count if the file has no valid record of zip64.
std::uint64_t claimed_by_zip64(std::string_view file, std::size_t end_record) {
    constexpr std::size_t k_locator_bytes = 20, k_offset_at = 8, k_count_at = 32;
    if (end_record < k_locator_bytes) return k_unknown_count;
    const std::string_view locator = file.substr(end_record - k_locator_bytes, k_locator_bytes);
    const std::uint64_t record = little_endian(locator.substr(k_offset_at, 8));
    const bool is_there =
        locator.starts_with("PK\x06\x07") && file.size() >= k_count_at + 8 && record <= file.size() - k_count_at - 8;
    return is_there ? little_endian(file.substr(record + k_count_at, 8)) : k_unknown_count;
}

/// Returns the number of members that the end record of a zip states; the largest number if several places could be that
/// record. The number must be checked before libzip opens the zip, because libzip puts all names into a hash table at once,
/// and a file can choose names that collide.
std::uint64_t claimed_members(std::string_view file) {
    constexpr std::size_t k_end_bytes = 22, k_count_at = 10, k_max_comment_bytes = 0xFFFF;
    std::uint64_t most = 0;
    const std::size_t first = file.size() - std::min(file.size(), k_end_bytes + k_max_comment_bytes);
    for (std::size_t at = file.find("PK\x05\x06", first); at != file.npos; at = file.find("PK\x05\x06", at + 1)) {
        if (file.size() - at < k_end_bytes) break;
        const std::uint64_t count = little_endian(file.substr(at + k_count_at, 2));
        most = std::max(most, count == 0xFFFF ? claimed_by_zip64(file, at) : count);
    }
    return most;
}

}  // namespace

bool looks_like_zip(std::string_view front) { return front.starts_with("PK\x03\x04") || front.starts_with("PK\x05\x06"); }

/// The source from which libzip reads the zip, piece by piece. Reading fails once the work is to stop: a member may be
/// packed so that gigabytes of it give no output, and libzip itself never checks for a stop.
class ZipArchive::Packed {
public:
    explicit Packed(std::span<const std::byte> bytes) : bytes_(bytes) { zip_error_init(&error); }
    ~Packed() { zip_error_fini(&error); }
    Packed(const Packed&) = delete;
    Packed& operator=(const Packed&) = delete;

    zip_int64_t answer(void* data, zip_uint64_t length, zip_source_cmd_t command) {
        switch (command) {
            case ZIP_SOURCE_SUPPORTS:
                return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                      ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                                      ZIP_SOURCE_SUPPORTS, -1);
            case ZIP_SOURCE_OPEN: at_ = 0; return 0;
            case ZIP_SOURCE_CLOSE:
            case ZIP_SOURCE_FREE: return 0;
            case ZIP_SOURCE_READ: return read(static_cast<std::byte*>(data), length);
            case ZIP_SOURCE_SEEK: return seek(zip_source_seek_compute_offset(at_, bytes_.size(), data, length, &error));
            case ZIP_SOURCE_TELL: return static_cast<zip_int64_t>(at_);
            case ZIP_SOURCE_STAT: return describe(static_cast<zip_stat_t*>(data));
            default: return refuse(ZIP_ER_OPNOTSUPP, 0);
        }
    }

    zip_error_t error;

private:
    zip_int64_t refuse(int code, int system_code) {
        zip_error_set(&error, code, system_code);
        return -1;
    }

    zip_int64_t read(std::byte* to, zip_uint64_t length) {
        if (must_stop()) return refuse(ZIP_ER_READ, ECANCELED);
        const std::size_t size = std::min<std::uint64_t>(length, bytes_.size() - at_);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), size, to);
        at_ += size;
        return static_cast<zip_int64_t>(size);
    }

    zip_int64_t seek(zip_int64_t to) {
        if (to < 0) return -1;
        at_ = static_cast<std::size_t>(to);
        return 0;
    }

    zip_int64_t describe(zip_stat_t* stat) const {
        zip_stat_init(stat);
        stat->valid = ZIP_STAT_SIZE;
        stat->size = bytes_.size();
        return sizeof(*stat);
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

ZipArchive::~ZipArchive() = default;

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(std::span<const std::byte> bytes) : packed_(std::make_unique<Packed>(bytes)), bytes_(bytes) {
    if (claimed_members({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) > limits::k_zip_members)
        fail(fmt::format("is a zip file of more than {} members; put the snapshot alone into a zip", limits::k_zip_members));
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_function_create(zip_callback<Packed>, packed_.get(), &error);
    if (source == nullptr) fail("cannot be read as a zip file: " + zip_error_text(error));
    archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (!archive_) {
        zip_source_free(source);
        fail("is a damaged or cut-off zip file (" + zip_error_text(error) +
                 "); its directory at the end of the file cannot be read",
             bytes.size());
    }
    zip_error_fini(&error);
    const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
    for (std::uint64_t index = 0; index < count; ++index) {
        zip_stat_t info;
        if (zip_stat_index(archive_.get(), index, 0, &info) != 0 || (info.valid & ZIP_STAT_NAME) == 0) continue;
        members_.push_back({info.name, index, (info.valid & ZIP_STAT_SIZE) != 0 ? info.size : 0, why_not_unpacked(info)});
    }
}

const ZipArchive::Member* ZipArchive::find(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, [](const Member& member) {
        return std::string_view(member.name).substr(member.name.rfind('/') + 1);
    });
    return found == members_.end() ? nullptr : &*found;
}

/// Byte source of the packed bytes of a member.
class ZipMemberReader::Packed : public ByteSource {
public:
    Packed(zip* archive, std::uint64_t index, const zip_stat_t& info)
        : file_(zip_fopen_index(archive, index, ZIP_FL_COMPRESSED)), buffer_(k_piece_bytes) {
        if (!file_) check_stop();
        if (!file_) need_memory(zip_get_error(archive));
        if (!file_) fail(std::string("cannot be unpacked: ") + zip_strerror(archive));
        if (method_of(info) == ZIP_CM_LZMA) make_header(info);
    }

    std::string_view next_piece() override {
        if (!header_.empty()) {
            buffer_.assign(header_.begin(), header_.end());
            header_.clear();
            return {buffer_.data(), buffer_.size()};
        }
        buffer_.resize(k_piece_bytes);
        return {buffer_.data(), take(buffer_)};
    }

    std::size_t take(std::span<char> buffer) {
        const zip_int64_t size = zip_fread(file_.get(), buffer.data(), buffer.size());
        if (size < 0) check_stop();
        if (size < 0) need_memory(zip_file_get_error(file_.get()));
        if (size < 0) fail_cut(std::string("is a damaged or cut-off zip file (") + zip_file_strerror(file_.get()) + ")", {});
        return static_cast<std::size_t>(size);
    }

private:
    static constexpr std::size_t k_piece_bytes = std::size_t{64} * 1024;

    /// Makes the header of an .lzma file from the header of a zip member. A member begins with a version in 2 bytes, the
    /// length of the properties in 2 bytes, and the properties. An .lzma file begins with the properties and the size of the
    /// content in 8 bytes, all ones if it is unknown.
    void make_header(const zip_stat_t& info) {
        constexpr std::size_t k_before_bytes = 4;
        constexpr std::size_t k_property_bytes = 5;
        header_.resize(k_before_bytes + k_property_bytes);
        if (take(header_) < header_.size() || header_[2] != k_property_bytes || header_[3] != 0)
            fail_cut("is damaged: the header of its LZMA data is missing", {});
        header_.erase(0, k_before_bytes);
        const std::uint64_t size_bytes = (info.valid & ZIP_STAT_SIZE) != 0 ? info.size : ~std::uint64_t{0};
        for (int byte = 0; byte < 8; ++byte) header_ += static_cast<char>(size_bytes >> (8 * byte) & 0xFF);
    }

    struct Close {
        void operator()(zip_file* file) const { zip_fclose(file); }
    };
    std::unique_ptr<zip_file, Close> file_;
    std::string header_;
    std::vector<char> buffer_;
};

ZipMemberReader::ZipMemberReader(ZipArchive& archive, const ZipArchive::Member& member, bool reports_progress)
    : name_(member.name), size_bytes_(member.size_bytes), reports_progress_(reports_progress) {
    in_context("member " + name_, [&] {
        if (!member.why_not.empty()) fail(member.why_not);
        zip_stat_t info;
        if (zip_stat_index(archive.archive_.get(), member.index, 0, &info) != 0) zip_stat_init(&info);
        packed_ = std::make_unique<Packed>(archive.archive_.get(), member.index, info);
        unpacker_ = make_unpacker(packing_of_method(method_of(info)), *packed_);
        if ((info.valid & ZIP_STAT_CRC) != 0) checksum_ = info.crc;
    });
}

ZipMemberReader::~ZipMemberReader() = default;

std::size_t ZipMemberReader::unpack(std::span<char> buffer) {
    if (inflated_bytes_ > limits::k_inflated_bytes) fail("unpacks to more than any real snapshot", inflated_bytes_);
    const std::size_t size = unpacker_ ? unpacker_->read(buffer) : packed_->take(buffer);
    checksum_so_far_ = static_cast<std::uint32_t>(
        crc32(checksum_so_far_, reinterpret_cast<const Bytef*>(buffer.data()), static_cast<uInt>(size)));
    if (size == 0 && checksum_ && *checksum_ != checksum_so_far_)
        fail_cut("is a damaged or cut-off zip file (CRC error)", inflated_bytes_);
    inflated_bytes_ += size;
    return size;
}

std::size_t ZipMemberReader::read(std::span<char> buffer) {
    if (reports_progress_) report_done(inflated_bytes_, size_bytes_);
    try {
        return unpack(buffer);
    } catch (Failure& failure) {
        if (failure.error.code != ErrorCode::cancelled) failure.error.context = "member " + name_;
        if (failure.is_cut && !failure.error.offset) failure.error.offset = inflated_bytes_;
        throw;
    }
}

}  // namespace snapviewer::bytes
