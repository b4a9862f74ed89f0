#include "core/system/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <mqueue.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "core/base/input_files.h"
#include "core/system/linux/call_filter.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool k_can_fork = false;
#else
constexpr bool k_can_fork = true;
#endif

/// Runs `act` in a child process, because a sandbox is permanent, and returns its result; at most 255.
int in_child(const std::function<int()>& act) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(act());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256;
}

/// Returns 0, or errno if the call returned -1.
int outcome(long given) { return given < 0 ? errno : 0; }

int open_at(const std::string& path, int flags) { return outcome(::open(path.c_str(), flags | O_CLOEXEC, 0600)); }

/// A new file, whose owner and signal settings no other process shares.
int file_of_its_own() { return ::memfd_create("own", MFD_CLOEXEC); }

struct Place {
    TestFolder inside, outside;
    Place() {
        for (const TestFolder* folder : {&inside, &outside}) std::ofstream(folder->file("old")) << "old";
    }
};

class SandboxTest : public testing::Test {
protected:
    void SetUp() override {
        if (!k_can_fork) GTEST_SKIP() << "ThreadSanitizer follows no child";
        const int status = in_child([] { return enter_sandbox({}).filters_calls ? 0 : 1; });
        if (status != 0) GTEST_SKIP() << "this kernel has no system call filter";
        has_landlock_ = in_child([] { return enter_sandbox({}).guards_files ? 0 : 1; }) == 0;
    }

    /// The errno of an attempt in a sandbox of this kind. The folder for temporary files is separate from the other files,
    /// because it is writable in every sandbox.
    int tried(const SandboxNeeds& needs, const std::function<int()>& attempt) const {
        return in_child([&] {
            ::setenv("TMPDIR", temporary_.file("").c_str(), 1);
            enter_sandbox(needs);
            return attempt();
        });
    }

    TestFolder temporary_;
    bool has_landlock_ = false;
};

TEST_F(SandboxTest, NoOtherProgramNoNetworkNoOtherProcess) {
    // Each attempt also runs without a sandbox, so it must not have lasting effects.
    constexpr int k_no_such = 7;
    constexpr int k_nobody = 0x7FFF'FFF0;
    const std::vector<std::pair<const char*, std::function<int()>>> attempts = {
        {"exec", [] { return outcome(::execl("/bin/true", "true", nullptr)); }},
        {"fork", [] { return outcome(::fork()); }},
        {"spawn",
         [] {
             pid_t child = 0;
             char* const arguments[] = {nullptr};
             return ::posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, nullptr);
         }},
        {"internet", [] { return outcome(::socket(AF_INET, SOCK_STREAM, 0)); }},
        {"internet 6", [] { return outcome(::socket(AF_INET6, SOCK_DGRAM, 0)); }},
        {"local socket", [] { return outcome(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
        {"signal to the parent", [] { return outcome(::kill(::getppid(), 0)); }},
        {"a file's signals to the parent", [] { return outcome(::fcntl(file_of_its_own(), F_SETOWN, ::getppid())); }},
        {"the same with more to say",
         [] {
             const f_owner_ex owner{F_OWNER_PID, ::getppid()};
             return outcome(::fcntl(file_of_its_own(), F_SETOWN_EX, &owner));
         }},
        {"which signal that is", [] { return outcome(::fcntl(file_of_its_own(), F_SETSIG, SIGKILL)); }},
        {"the same by another call",
         [] {
             const int parent = ::getppid();
             return outcome(::ioctl(file_of_its_own(), FIOSETOWN, &parent));
         }},
        {"limits of the parent",
         [] {
             rlimit limit{};
             return outcome(::prlimit(::getppid(), RLIMIT_CORE, nullptr, &limit));
         }},
        {"priority of the parent",
         [] {
             return outcome(::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), ::getpriority(PRIO_PROCESS, 0)));
         }},
        {"priority of a user", [] { return outcome(::setpriority(PRIO_USER, k_nobody, 5)); }},
        {"processors of the parent",
         [] {
             cpu_set_t set;
             CPU_ZERO(&set);
             ::sched_getaffinity(0, sizeof set, &set);
             return outcome(::sched_setaffinity(::getppid(), sizeof set, &set));
         }},
        {"scheduling of the parent",
         [] {
             const sched_param parameters{};
             return outcome(::sched_setscheduler(::getppid(), k_no_such, &parameters));
         }},
        {"order of the parent's reading",
         [] { return outcome(::syscall(SYS_ioprio_set, 1, ::getppid(), k_no_such << 13)); }},
        {"how the parent is scheduled", [] { return outcome(::syscall(SYS_sched_setattr, ::getppid(), nullptr, 0)); }},
        {"others kept waiting for a file", [] { return outcome(::fcntl(file_of_its_own(), F_SETLEASE, F_RDLCK)); }},
        {"shared memory", [] { return outcome(::shmget(IPC_PRIVATE, 0, IPC_CREAT)); }},
        {"shared memory to be executed",
         [] { return outcome(reinterpret_cast<std::intptr_t>(::shmat(0, nullptr, SHM_EXEC))); }},
        {"queue of messages", [] { return outcome(::msgget(k_nobody, 0)); }},
        {"named queue of messages", [] { return outcome(::mq_open("/snapviewer-test", O_RDONLY)); }},
        {"semaphores", [] { return outcome(::semget(IPC_PRIVATE, -1, IPC_CREAT)); }},
        {"typing into the terminal", [] { return outcome(::ioctl(0, TIOCSTI, "x")); }},
    };
    for (const auto& [name, attempt] : attempts) {
        for (const SandboxNeeds& needs : {SandboxNeeds{}, SandboxNeeds{.outputs = {"out"}}, SandboxNeeds{.draws = true}})
            EXPECT_EQ(tried(needs, attempt), EPERM) << name;
        EXPECT_NE(in_child(attempt), EPERM) << name << " is refused without a sandbox as well, so that it shows nothing";
    }
    // The same calls are allowed for the process itself.
    EXPECT_EQ(tried({.draws = true}, [] { return outcome(::setpriority(PRIO_PROCESS, 0, 5)); }), 0);
    EXPECT_EQ(tried({},
                    [] {
                        rlimit limit{};
                        return outcome(::getrlimit(RLIMIT_CORE, &limit));
                    }),
              0);
    // The kernel only uses the lower half of these arguments.
    EXPECT_EQ(tried({}, [] { return outcome(::syscall(SYS_ioctl, 0, 0x7FFF'0000'0000UL | TIOCSTI, "x")); }), EPERM);
    EXPECT_EQ(tried({}, [] { return outcome(::syscall(SYS_fcntl, 0, 0x7FFF'0000'0000UL | F_SETOWN, 1)); }), EPERM);
    // The kernel may refuse these calls even without a filter.
    EXPECT_EQ(tried({}, [] { return outcome(::chroot("/")); }), EPERM);
    EXPECT_EQ(tried({}, [] { return outcome(::syscall(SYS_io_uring_setup, 1, nullptr)); }), EPERM);
    EXPECT_EQ(tried({}, [] { return outcome(::syscall(SYS_process_vm_readv, ::getppid(), nullptr, 0, nullptr, 0, 0)); }),
              EPERM);
}

TEST_F(SandboxTest, WhereThereIsNoOutputNoFileIsChanged) {
    const Place place;
    const std::string old = place.outside.file("old");
    const std::string fresh = place.outside.file("fresh");
    const std::vector<std::pair<const char*, std::function<int()>>> attempts = {
        {"write", [&] { return open_at(old, O_WRONLY); }},
        {"read and write", [&] { return open_at(old, O_RDWR); }},
        {"append", [&] { return open_at(old, O_WRONLY | O_APPEND); }},
        {"empty it", [&] { return open_at(old, O_RDONLY | O_TRUNC); }},
        {"make", [&] { return open_at(fresh, O_WRONLY | O_CREAT | O_EXCL); }},
        {"make or write", [&] { return open_at(fresh, O_WRONLY | O_CREAT); }},
        {"shorten", [&] { return outcome(::truncate(old.c_str(), 0)); }},
        {"remove", [&] { return outcome(::unlink(old.c_str())); }},
        {"rename", [&] { return outcome(::rename(old.c_str(), fresh.c_str())); }},
        {"link", [&] { return outcome(::link(old.c_str(), fresh.c_str())); }},
        {"symbolic link", [&] { return outcome(::symlink(old.c_str(), fresh.c_str())); }},
        {"folder", [&] { return outcome(::mkdir(fresh.c_str(), 0700)); }},
        {"mode", [&] { return outcome(::chmod(old.c_str(), 0777)); }},
        {"times", [&] { return outcome(::utimensat(AT_FDCWD, old.c_str(), nullptr, 0)); }},
        {"the memory of this program", [] { return open_at("/proc/self/mem", O_RDWR); }},
    };
    for (const auto& [name, attempt] : attempts) {
        const int code = tried({}, attempt);
        EXPECT_TRUE(code == EPERM || code == EACCES) << name << ": " << code;
    }
    EXPECT_EQ(place.outside.state().size(), 1U);
    EXPECT_EQ(tried({}, [&] { return open_at(old, O_RDONLY); }), 0);
}

TEST_F(SandboxTest, AnOutputMayBeWrittenInItsFolderAlone) {
    if (!has_landlock_) GTEST_SKIP() << "this kernel has no Landlock";
    const Place place;
    const SandboxNeeds needs{.outputs = {place.inside.file("out.csv")}};
    EXPECT_EQ(tried(needs, [&] { return open_at(place.inside.file("draft"), O_WRONLY | O_CREAT | O_EXCL); }), 0);
    EXPECT_EQ(tried(needs,
                    [&] { return outcome(::rename(place.inside.file("draft").c_str(), place.inside.file("old").c_str())); }),
              0);
    EXPECT_EQ(tried(needs, [&] { return outcome(::mkdir(place.inside.file("folder").c_str(), 0700)); }), 0);
    EXPECT_EQ(tried(needs, [&] { return outcome(::rmdir(place.inside.file("folder").c_str())); }), 0);
    EXPECT_EQ(tried(needs, [&] { return outcome(::unlink(place.inside.file("old").c_str())); }), 0);
    EXPECT_EQ(tried(needs, [&] { return open_at(place.outside.file("old"), O_WRONLY); }), EACCES);
    EXPECT_EQ(tried(needs, [&] { return open_at(place.outside.file("new"), O_WRONLY | O_CREAT); }), EACCES);
    EXPECT_EQ(tried(needs, [&] { return outcome(::unlink(place.outside.file("old").c_str())); }), EACCES);
    EXPECT_EQ(tried(needs, [&] { return outcome(::truncate(place.outside.file("old").c_str(), 0)); }), EPERM);
}

TEST_F(SandboxTest, AFolderThatIsWrittenToIsTheFolderItself) {
    if (!has_landlock_) GTEST_SKIP() << "this kernel has no Landlock";
    const Place place;
    const SandboxNeeds needs{.outputs = {place.inside.file("")}};
    EXPECT_EQ(tried(needs, [&] { return open_at(place.inside.file("draft"), O_WRONLY | O_CREAT | O_EXCL); }), 0);
    EXPECT_EQ(tried(needs, [&] { return open_at(place.outside.file("old"), O_WRONLY); }), EACCES);
}

TEST_F(SandboxTest, AReportIsANewFile) {
    if (!has_landlock_) GTEST_SKIP() << "this kernel has no Landlock";
    const Place place;
    const SandboxNeeds needs{.report_folder = place.inside.file("")};
    EXPECT_EQ(tried(needs, [&] { return open_at(place.inside.file("report"), O_WRONLY | O_CREAT | O_EXCL); }), 0);
    EXPECT_EQ(tried(needs, [&] { return open_at(place.inside.file("old"), O_WRONLY); }), EPERM);
    EXPECT_EQ(tried(needs, [&] { return outcome(::unlink(place.inside.file("old").c_str())); }), EPERM);
}

TEST_F(SandboxTest, NothingIsRemovedOrRenamedAmongTemporaryFiles) {
    std::ofstream(temporary_.file("of another program")) << "old";
    const auto remove = [&] { return outcome(::unlink(temporary_.file("of another program").c_str())); };
    const auto rename = [&] {
        return outcome(::rename(temporary_.file("of another program").c_str(), temporary_.file("new").c_str()));
    };
    EXPECT_EQ(tried({}, remove), EPERM);
    EXPECT_EQ(tried({}, rename), EPERM);
    if (!has_landlock_) GTEST_SKIP() << "this kernel has no Landlock";
    const Place place;
    EXPECT_EQ(tried({.outputs = {place.inside.file("out")}}, remove), EACCES);
    EXPECT_EQ(tried({.draws = true}, remove), EACCES);
}

TEST_F(SandboxTest, TheFolderOfReportsIsMadeWithTheFirst) {
    if (!has_landlock_) GTEST_SKIP() << "this kernel has no Landlock";
    const Place place;
    const SandboxNeeds needs{.report_folder = place.inside.file("reports")};
    const auto report_in = [](const std::string& folder) {
        const int made = outcome(::mkdir(folder.c_str(), 0700));
        return made != 0 ? made : open_at(folder + "/report", O_WRONLY | O_CREAT | O_EXCL);
    };
    EXPECT_EQ(tried(needs, [&] { return open_at(place.inside.file("old"), O_WRONLY); }), EPERM);
    EXPECT_EQ(tried(needs, [&] { return outcome(::unlink(place.inside.file("old").c_str())); }), EPERM);
    EXPECT_EQ(tried(needs, [&] { return report_in(place.outside.file("reports")); }), EACCES);
    EXPECT_EQ(tried(needs, [&] { return report_in(place.inside.file("reports")); }), 0);
    EXPECT_EQ(tried(needs, [&] { return open_at(place.inside.file("new"), O_WRONLY | O_CREAT | O_EXCL); }), EACCES);
    // Creating two missing folders is refused.
    const SandboxNeeds deeper{.report_folder = place.outside.file("state/reports")};
    EXPECT_EQ(tried(deeper, [&] { return outcome(::mkdir(place.outside.file("state").c_str(), 0700)); }), EACCES);
}

TEST_F(SandboxTest, TheFilterAloneLetsNothingBeMade) {
    const Place place;
    const auto tried_alone = [](const std::function<int()>& attempt) {
        return in_child([&] {
            filter_system_calls(FileChanges::none, NewCode::refused, CallRefusal::error);
            return attempt();
        });
    };
    EXPECT_EQ(tried_alone([&] { return open_at(place.outside.file("old"), O_WRONLY); }), EPERM);
    EXPECT_EQ(tried_alone([&] { return open_at(place.outside.file("new"), O_WRONLY | O_CREAT | O_EXCL); }), EPERM);
    EXPECT_EQ(tried_alone([&] { return outcome(::unlink(place.outside.file("old").c_str())); }), EPERM);
    EXPECT_EQ(tried_alone([&] { return outcome(::mkdir(place.outside.file("folder").c_str(), 0700)); }), EPERM);
    EXPECT_EQ(tried_alone([&] { return open_at(place.outside.file("old"), O_RDONLY); }), 0);
}

TEST_F(SandboxTest, WhatReadingTakesIsThere) {
    for (const SandboxNeeds& needs : {SandboxNeeds{}, SandboxNeeds{.outputs = {"out"}}, SandboxNeeds{.draws = true}}) {
        EXPECT_EQ(tried(needs,
                        [] {
                            Result<ScratchFile> scratch = ScratchFile::create(10);
                            return scratch && scratch->resize(1 << 20) ? 0 : 1;
                        }),
                  0);
        EXPECT_EQ(tried(needs,
                        [] {
                            int seen = 1;
                            std::thread([&] { seen = 0; }).join();
                            return seen;
                        }),
                  0);
        EXPECT_EQ(tried(needs, [] { return outcome(::raise(0)); }), 0);
    }
}

TEST_F(SandboxTest, TemporaryFilesLieInMemoryWhereAFolderHasNoneWithoutAName) {
    // File systems of the kernel lack unnamed temporary files (O_TMPFILE). Only root can write to this one.
    if (::open("/proc", O_TMPFILE | O_RDWR, 0600) >= 0 || errno != EOPNOTSUPP) GTEST_SKIP() << "/proc cannot be tried";
    EXPECT_EQ(in_child([] {
                  ::setenv("TMPDIR", "/proc", 1);
                  enter_sandbox({});
                  Result<ScratchFile> scratch = ScratchFile::create(1 << 20);
                  const bool is_kept = scratch && scratch->resize(1 << 20) && scratch->size_bytes() == 1 << 20;
                  return is_kept && !ScratchFile::create(std::uint64_t{1} << 60) ? 0 : 1;
              }),
              0);
}

TEST_F(SandboxTest, MachineCodeIsMadeByDriversAlone) {
    const auto make = [] {
        void* code = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return outcome(::mprotect(code, 4096, PROT_READ | PROT_EXEC));
    };
    EXPECT_EQ(tried({}, make), EPERM);
    EXPECT_EQ(tried({.outputs = {"out"}}, make), EPERM);
    EXPECT_EQ(tried({.draws = true}, make), 0);
}

TEST_F(SandboxTest, ARefusedCallIsReportedOnceWithItsNumberAndFails) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(in_child([&] {
                  ::dup2(ends[1], STDERR_FILENO);
                  report_refused_calls();
                  enter_sandbox({});
                  const int first = outcome(::socket(AF_INET, SOCK_STREAM, 0));
                  const int second = outcome(::chroot("/"));
                  return first == EPERM && second == EPERM ? 0 : 1;
              }),
              0);
    ::close(ends[1]);
    std::string said(1000, ' ');
    said.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], said.data(), said.size()), 0)));
    ::close(ends[0]);
    EXPECT_NE(said.find(' ' + std::to_string(SYS_socket) + ';'), std::string::npos) << said;
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
}

TEST_F(SandboxTest, WithoutDescriptorsItSaysSo) {
    EXPECT_EQ(in_child([] {
                  const rlimit none{3, 3};
                  ::setrlimit(RLIMIT_NOFILE, &none);
                  const Sandbox sandbox = enter_sandbox({});
                  const bool says_so = sandbox.why_not.find(std::strerror(EMFILE)) != std::string::npos;
                  return !sandbox.is_whole() && says_so ? 0 : 1;
              }),
              0);
}

TEST_F(SandboxTest, RootKeepsOnlyTheRightsToFilesOfOtherUsers) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const auto rights = [](const SandboxNeeds& needs) {
        enter_sandbox(needs);
        std::ifstream status("/proc/thread-self/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("CapEff:\t")) return static_cast<int>(std::stoull(line.substr(8), nullptr, 16));
        }
        return -1;
    };
    for (const SandboxNeeds& needs : {SandboxNeeds{}, SandboxNeeds{.outputs = {"out"}}, SandboxNeeds{.draws = true}})
        EXPECT_EQ(in_child([&] { return rights(needs); }), 1 << 1 | 1 << 2);
}

TEST_F(SandboxTest, OneThreadAndWhatItStarts) {
    const auto opens_socket = [] { return outcome(::socket(AF_INET, SOCK_STREAM, 0)); };
    EXPECT_EQ(in_child([&] {
                  int in_sandbox = 0;
                  int started_there = 0;
                  std::thread([&] {
                      enter_sandbox({});
                      in_sandbox = opens_socket();
                      std::thread([&] { started_there = opens_socket(); }).join();
                  }).join();
                  return in_sandbox == EPERM && started_there == EPERM && opens_socket() == 0 ? 0 : 1;
              }),
              0);
}

TEST(SandboxTextTest, SaysWhatIsOffAndWhy) {
    EXPECT_EQ((Sandbox{true, true, ""}).text(), "on");
    EXPECT_EQ((Sandbox{true, false, "this kernel has no Landlock"}).text(), "partly on: this kernel has no Landlock");
    EXPECT_EQ((Sandbox{false, false, "no"}).text(), "off: no");
    EXPECT_EQ((Sandbox{true, true, ""}).note(), "on");
    std::set<std::string> consequences;
    for (const Sandbox& sandbox :
         {Sandbox{true, false, "no Landlock"}, Sandbox{false, true, "no filter"}, Sandbox{false, false, "no"}}) {
        const std::string state = sandbox.text(), note = sandbox.note();
        ASSERT_TRUE(note.starts_with(state)) << note;
        EXPECT_TRUE(consequences.insert(note.substr(state.size())).second) << note;
        EXPECT_NE(note.find("SNAPVIEWER_SANDBOX=required"), std::string::npos) << note;
    }
}

}  // namespace
}  // namespace snapviewer
