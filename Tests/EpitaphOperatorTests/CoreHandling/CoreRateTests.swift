// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import Testing

@Suite("How many reports of cores are made")
struct CoreRateTests {
    private func entry(_ time: Int64, _ user: UInt32 = 1, _ program: String = "/a")
        -> CoreRate.Entry
    {
        CoreRate.Entry(timeSeconds: time, userID: user, program: program)
    }

    @Test("Those of one program and user are counted for an hour")
    func program() {
        let rate = CoreRate(perProgram: 2, overall: 100)
        let history = [entry(0), entry(100)]
        #expect(rate.refusal(of: entry(3_599), after: history) != nil)
        #expect(rate.refusal(of: entry(3_600), after: history) == nil)
        #expect(rate.refusal(of: entry(200, 2), after: history) == nil)
        #expect(rate.refusal(of: entry(200, 1, "/b"), after: history) == nil)
    }

    @Test("All programs together are limited too")
    func overall() {
        let rate = CoreRate(perProgram: 5, overall: 3)
        let history = (0..<3).map { entry(Int64($0), UInt32($0), "/\($0)") }
        #expect(rate.refusal(of: entry(10, 9, "/z"), after: history) != nil)
    }

    /// What is made of crashes in this order, a second apart.
    private func made(
        _ crashes: [(user: UInt32, program: String)], by rate: CoreRate,
        after history: inout [CoreRate.Entry]
    ) -> Int {
        crashes.count { crash in
            let next = entry(Int64(history.count), crash.user, crash.program)
            guard rate.refusal(of: next, after: history) == nil else { return false }
            history = CoreRateFile.entries(
                CoreRateFile.bytes(rate.recording(next, after: history)))
            return true
        }
    }

    @Test(
        "A user who crashes on purpose, with containers or without, costs the others nothing",
        arguments: [[1000], [1000, 100_000, 120_000, 140_000, 165_535]])
    func attack(users: [UInt32]) {
        var history: [CoreRate.Entry] = []
        let crashes = users.flatMap { user in
            (0..<12).flatMap { program in
                (0..<5).map { _ in (user, "/home/a/\(program)") }
            }
        }
        let rate = CoreRate()
        #expect(made(crashes, by: rate, after: &history) >= rate.perUser / 2)
        #expect(history.count <= rate.overall * 2 / 3)
        let others: [(UInt32, String)] = (0..<5).map { _ in (0, "/usr/sbin/daemon") }
        #expect(made(others, by: rate, after: &history) == 5)
        #expect(made([(1001, "/home/b/x")], by: rate, after: &history) == 1)
    }

    @Test("A user's programs that crash all the time leave a report for one that rarely does")
    func share() {
        var history: [CoreRate.Entry] = []
        let loops = (0..<3).flatMap { program in (0..<5).map { _ in (UInt32(0), "/\(program)") } }
        #expect(made(loops, by: CoreRate(), after: &history) < CoreRate().perUser)
        #expect(made([(0, "/rare")], by: CoreRate(), after: &history) == 1)
        #expect(made([(0, "/rare")], by: CoreRate(), after: &history) == 0)
    }

    @Test(
        "No name of a program evades its limit",
        arguments: ["/a\n2 2 /b", "/" + String(repeating: "x", count: 4_000), " ", "/\u{fffd}"])
    func names(name: String) {
        var history: [CoreRate.Entry] = []
        let rate = CoreRate(perProgram: 2, overall: 100)
        let crashes = (0..<10).map { _ in (UInt32(7), name) }
        #expect(made(crashes, by: rate, after: &history) == 2)
    }

    @Test("After the clock was set back by hours, reports are made again")
    func clock() {
        let rate = CoreRate(perProgram: 1, overall: 10)
        #expect(rate.refusal(of: entry(0), after: [entry(1_000)]) != nil)
        #expect(rate.refusal(of: entry(0), after: [entry(10_000)]) == nil)
    }

    @Test("The history is read as it was written, without what makes no sense")
    func file() {
        let history = [entry(5, 0, "/usr/bin/a b"), entry(6, 7, "/x")]
        #expect(CoreRateFile.entries(CoreRateFile.bytes(history)) == history)
        let broken = Array("5 0 a\nnonsense\n\n6 -1 b\n7 1 x y\n8 1 /b\n7 1 c".utf8)
        #expect(CoreRateFile.entries(broken).map(\.program) == [10, 12])
        #expect(CoreRate().recording(entry(10_000), after: history) == [entry(10_000)])
    }
}

@Suite("Settings of the handler of cores")
struct CoreHandlerSettingsTests {
    @Test("Each line makes one choice; comments and empty lines make none")
    func lines() {
        var settings = CoreHandlerSettings()
        let text = """
            # what was there before
            then /lib/systemd/systemd-coredump %P %u %g %s %t 9223372036854775808 %h %d

            directory /srv/crashes   # ours
            time-limit 30
            keep-core /var/cores
            keep-core-use 4096
            keep-core-free 0
            reports-per-program 2
            """
        #expect(settings.read(Array(text.utf8)) == [])
        #expect(settings.next.count == 9 && settings.next[1] == "%P")
        #expect(settings.directory == "/srv/crashes" && settings.timeLimitSeconds == 30)
        #expect(settings.keptCores == "/var/cores" && settings.rate.perProgram == 2)
        #expect(settings.keptCoresMebibytes == 4_096 && settings.keptCoresFreeMebibytes == 0)
    }

    @Test("A line that makes no sense is named, and has no effect")
    func problems() {
        var settings = CoreHandlerSettings()
        let text = "time-limit 1\ndirectory relative\nthen cat\ncolour red\nkeep-core-limit x\n"
        let problems = settings.read(Array(text.utf8))
        #expect(problems.count == 5)
        #expect(problems[0] == "line 1: time-limit takes a number from 5 to 600")
        #expect(problems[3] == "line 4: there is no setting \"colour\"")
        #expect(settings == CoreHandlerSettings())
    }
}
