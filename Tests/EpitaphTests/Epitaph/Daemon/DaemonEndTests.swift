// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The example daemon from one launch to the next, through each way to end, with a server that takes
/// what it sends.
@Suite("From one launch to the next")
struct DaemonEndTests {
    private let lab: DaemonLab

    init() throws { lab = try DaemonLab() }

    private static let killed = "the last launch ended without a crash record: killed"

    @Test("A crash: the next launch says why, and the report that arrives has all that was said")
    func crash() throws {
        let first = try lab.start()
        let client = try LineClient(port: first.port)
        #expect(client.ask("user u-17") == "hello")
        #expect(client.ask("note rack 12") == "noted")
        #expect(client.ask("add apples 3") == "3")
        // By then the session is on the disk, and a crash cannot take it along.
        #expect(eventually(withinSeconds: 60) { lab.server.events("sessionStarted").count == 2 })
        #expect(client.ask("crash null-write") == "")
        #expect(first.wait() == .signalled(SIGSEGV))

        let second = try lab.start()
        let report = try #require(try lab.reports(1).first)
        #expect(second.greeting.hasPrefix("the last launch crashed: report \(report.id)\n"))
        #expect(report.kind == "crash" && report.headline.hasPrefix("example-daemon "))
        #expect(report.text.contains("crashNullWrite"), "\(report.text)")
        #expect(report.annotation("rack")?["value"] as? String == "12")
        #expect(report.annotation("connections")?["typedValue"] as? Int == 1)
        let request = report.annotation("request")
        #expect(request?["typedValue"] as? Int == 4 && request?["isOfTask"] as? Bool == true)
        let last = try #require(report.breadcrumb("crash null-write"))
        let attributes = last["attributes"] as? [[String: Any]]
        #expect(attributes?.first?["name"] as? String == "bytes")
        #expect(attributes?.first?["typedValue"] as? Int == 16)
        #expect(report.breadcrumb("serving")?["category"] as? String == "phase")

        let form = try #require(lab.server.reports.first)
        #expect(form.fields["prod"] as? String == "example-daemon")
        #expect(form.fields["rack"] as? String == "12")
        let journal = form.files["journal.log"] as? String ?? ""
        #expect(journal.contains("info request: add apples 3\n"), "\(form.files.keys)")
        lab.expectEvent("crash", "reportID", report.id)
        lab.expectEvent("lifecycle", "lastEnd", "crash")
        lab.expectEvent("sessionEnded", "outcome", "crashed")
        try lab.quit(second)
        #expect(try lab.start().greeting == "")
    }

    @Test("A hang is a report that names the stuck thread, whether it passes or the daemon dies")
    func hang() throws {
        let first = try lab.start()
        let client = try LineClient(port: first.port)
        func noticed(_ outcome: String) -> Int {
            first.output.components(separatedBy: "noticed: hang of importer, \(outcome)").count - 1
        }
        #expect(client.ask("hang") == "hanging")
        #expect(eventually(withinSeconds: 120) { noticed("ongoing") == 1 }, "\(first.output)")
        #expect(client.ask("recover") == "going on")
        #expect(eventually(withinSeconds: 120) { noticed("recovered") == 1 }, "\(first.output)")
        #expect(client.ask("hang") == "hanging")
        #expect(eventually(withinSeconds: 120) { noticed("ongoing") == 2 }, "\(first.output)")
        lab.kill(first)

        let second = try lab.start()
        #expect(second.greeting.hasPrefix(Self.killed), "\(second.greeting)")
        #expect(second.greeting.contains("  before that: importer hangs, silent for "))
        let reports = try lab.reports(2)
        #expect(Set(reports.map(\.kind)) == ["hang", "recovered-hang"])
        for report in reports {
            let end = report.kind == "hang" ? "" : ", which is over"
            #expect(
                report.headline.contains(
                    #/: hang of thread \d+ "importer" \(importer\) for .+ s/#), "\(report.headline)"
            )
            #expect(report.headline.hasSuffix(" s" + end), "\(report.headline)")
            let stuck = try #require(report.threads.first)
            #expect(stuck["isSubject"] as? Bool == true)
            #expect(stuck["name"] as? String == "importer")
            #expect(!report.text.lowercased().contains("crashed"), "\(report.text)")
        }
        lab.expectEvent("hang", "outcome", "ongoing")
        lab.expectEvent("hang", "outcome", "recovered")
        lab.expectEvent("lifecycle", "lastEnd", "killed")
        try lab.quit(second)
    }

    @Test(
        "A kill for want of memory: the dump of before is a report, and the end says what is known",
        .enabled(
            if: LimitedGroup.canBeHad, "a control group with a memory limit needs root and cgroups")
    )
    func outOfMemory() throws {
        let group = try #require(LimitedGroup(limitBytes: 128 << 20))
        let first = try lab.start(
            environment: ["EPITAPH_MEMORY": "light"], running: group.running)
        #expect(try LineClient(port: first.port).ask("eat") == "eating")
        #expect(first.wait() == .signalled(SIGKILL), "\(first.output)")
        let isNamed = KernelKills.name(first.processID, "example-daemon")

        let second = try lab.start()
        let greeting = second.greeting
        if isNamed {
            #expect(
                greeting.hasPrefix(
                    "the last launch was ended by the kernel for want of memory; the kernel's log "
                        + "says: Killed process \(first.processID) "), "\(greeting)")
        } else {
            #expect(greeting.contains("for want of memory"), "\(greeting)")
        }
        #expect(greeting.contains("  memory was scarce in it\n"), "\(greeting)")
        let report = try #require(try lab.reports(1).first)
        #expect(report.kind == (isNamed ? "out-of-memory" : "memory-warning"))
        let words = isNamed ? "killed by the kernel because memory ran out" : "memory became scarce"
        #expect(report.headline == "example-daemon: \(words)", "\(report.headline)")
        let warning = report.annotation("memory_warning")?["value"] as? String ?? ""
        #expect(
            warning.contains("resident ") && warning.contains(" of 128.0 MiB in "), "\(warning)")
        #expect(report.breadcrumb("eat") != nil)
        #expect(eventually(withinSeconds: 60) { !lab.server.events("memoryWarning").isEmpty })
        if isNamed { lab.expectEvent("lifecycle", "lastEnd", "out-of-memory") }
        // What the killed process left is gone: the files are the second launch's.
        let files = try FileManager.default.contentsOfDirectory(
            atPath: lab.database + "/pending-dumps")
        #expect(files.count { $0.hasSuffix(".locked") } == 1, "\(files)")
        try lab.quit(second)
    }

    @Test("A kill: there is no report, and the breadcrumbs are those of the file")
    func kill() throws {
        let first = try lab.start()
        #expect(try LineClient(port: first.port).ask("add apples 3") == "3")
        #expect(eventually(withinSeconds: 60) { !lab.server.events("sessionStarted").isEmpty })
        lab.kill(first)
        let second = try lab.start()
        #expect(second.greeting.hasPrefix(Self.killed), "\(second.greeting)")
        // A service manager's SIGTERM would have been told by name.
        #expect(second.greeting.contains("SIGTERM"), "\(second.greeting)")
        #expect(second.greeting.contains("\n  before that: add apples 3\n"), "\(second.greeting)")
        lab.expectEvent("lifecycle", "lastEnd", "killed")
        lab.expectEvent("sessionEnded", "outcome", "interrupted")
        try lab.quit(second)
        #expect(try lab.reports(0).isEmpty)
    }

    @Test("SIGTERM ends it in order where it handles it, and is told by name where it does not")
    func terminate() throws {
        let first = try lab.start()
        Foundation.kill(first.processID, SIGTERM)
        #expect(first.wait() == .exited(0))
        let second = try lab.start(["--leaves-sigterm"])
        #expect(second.greeting == "")
        lab.expectEvent("lifecycle", "reason", "SIGTERM")
        lab.expectEvent("lifecycle", "lastEnd", "clean")
        Foundation.kill(second.processID, SIGTERM)
        #expect(second.wait() == .signalled(SIGTERM))
        let third = try lab.start()
        #expect(
            third.greeting.hasPrefix(
                "the last launch was ended by SIGTERM; process \(getpid()) sent the signal\n"),
            "\(third.greeting)")
        lab.expectEvent("lifecycle", "lastEnd", "signal")
        try lab.quit(third)
        #expect(try lab.reports(0).isEmpty)
    }

    /// A first use of OpenSSL that takes long enough for exit(3) to overtake it, and then needs what
    /// OPENSSL_cleanup(3) frees.
    private static let slowBeginning = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <unistd.h>
        int OPENSSL_init_ssl(uint64_t options, const void *settings) {
            void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_NOLOAD);
            int (*begin)(uint64_t, const void *) = dlsym(library, "OPENSSL_init_ssl");
            const char *(*words)(unsigned long) = dlsym(library, "ERR_reason_error_string");
            int result = begin(options, settings);
            close(open(getenv("BEGUN"), O_CREAT | O_WRONLY, 0600));
            usleep(500000);
            words(1);
            return result;
        }
        __attribute__((destructor)) static void end(void) {
            if (access(getenv("BEGUN"), F_OK) == 0) sleep(1);
        }
        """

    @Test(
        "An end while the library of the first request is being prepared waits for that, and no more"
    )
    func endOfPreparation() throws {
        let work = try TemporaryDirectory()
        try work.write(Array(Self.slowBeginning.utf8), to: "slow.c")
        let built = try Subprocess.run([
            "cc", "-w", "-shared", "-fPIC", "-o", work.path("slow.so"), work.path("slow.c"),
        ])
        try #require(built.ending == .exited(0), "\(built.standardError)")
        let daemon = try lab.start(environment: [
            "LD_PRELOAD": work.path("slow.so"), "BEGUN": work.path("begun"),
        ])
        #expect(eventually(withinSeconds: 60) { access(work.path("begun"), F_OK) == 0 })
        Foundation.kill(daemon.processID, SIGTERM)
        #expect(daemon.wait() == .exited(0), "\(daemon.output)")
    }

    @Test(
        "After a restart of the machine the end is what the machine's own files say of it",
        .enabled(if: NextBoot.canBeHad, "another boot id needs root and mount namespaces"),
        arguments: NextBoot.Way.allCases)
    func reboot(_ way: NextBoot.Way) throws {
        let first = try lab.start()
        #expect(try LineClient(port: first.port).ask("add apples 3") == "3")
        lab.kill(first)
        let boot = try NextBoot(way, in: lab.directory)
        let second = try lab.start(running: boot.running)
        let (words, event) =
            switch way {
            case .shutdown: ("was shut down, or ended before; wtmp has a shutdown at ", "shutdown")
            case .powerLoss:
                (
                    "lost its power or its kernel crashed, or ended before; wtmp has a start of "
                        + "the machine at ", "power-loss"
                )
            case .unknown:
                (
                    "was restarted; how the machine came to be restarted is not known: there is "
                        + "no wtmp, or it is empty\n", "restart"
                )
            }
        #expect(
            second.greeting.hasPrefix("the last launch was lost when the machine \(words)"),
            "\(second.greeting)")
        #expect(second.greeting.contains("\n  before that: add apples 3\n"), "\(second.greeting)")
        lab.expectEvent("lifecycle", "lastEnd", event)
        try lab.quit(second)
        #expect(try lab.reports(0).isEmpty)
    }
}
