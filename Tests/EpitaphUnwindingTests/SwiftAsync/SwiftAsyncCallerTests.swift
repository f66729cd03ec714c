// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import Testing

@Suite("The awaiting callers of a task")
struct SwiftAsyncCallerTests {
    /// Four functions; all but the first wait where an `await` returns.
    private static let names: [String?] = [
        "$s1p1aSiyYaFTY1_", "$s1p1bSiyYaFTQ0_", "$s1p1cSiyYaFTQ2_", "$s1p1dSiyYaFTQ_",
    ]

    private func chained(_ names: [String?] = names) -> MadeUpTask {
        var task = MadeUpTask(names)
        task.chainAll()
        return task
    }

    private func callers(_ backtrace: Backtrace) -> [UInt64] {
        backtrace.frames.filter { $0.foundBy == .asyncContext }.map(\.lookupAddress)
    }

    @Test("They stand between the function that runs and the runtime that called it")
    func wholeChain() throws {
        let task = chained()
        let backtrace = try task.unwind()
        #expect(callers(backtrace) == [1, 2, 3].map(task.start))
        #expect(backtrace.asyncEnd == .startOfTask)
        #expect(
            backtrace.frames.map(\.foundBy) == [
                .registers, .asyncContext, .asyncContext, .asyncContext, .framePointer,
            ])
        #expect(backtrace.frames[1].instructionPointer == backtrace.frames[1].lookupAddress)
        #expect(backtrace.frames[1].stackPointer == task.context(0))
    }

    @Test("Without symbols the code of the functions is proof enough")
    func stripped() throws {
        let task = chained([nil, nil, nil])
        let backtrace = try task.unwind()
        #expect(callers(backtrace) == [1, 2].map(task.start))
        #expect(backtrace.asyncEnd == .startOfTask)
    }

    /// What LLVM 21 makes of such a function for aarch64: sub sp, sp, #32; stp x29, x30, [sp, #16];
    /// str x22, [sp, #8]; add x29, sp, #16.
    private static let armPrologue: [UInt8] = [
        0xff, 0x83, 0x00, 0xd1, 0xfd, 0x7b, 0x01, 0xa9, 0xf6, 0x07, 0x00, 0xf9, 0xfd, 0x43, 0x00,
        0x91,
    ]

    @Test("On aarch64 they are found the same way", arguments: [names, [nil, nil, nil]])
    func arm(names: [String?]) throws {
        var task = MadeUpTask(names, prologue: Self.armPrologue)
        task.architecture = .aarch64
        task.chainAll()
        let backtrace = try task.unwind()
        #expect(callers(backtrace) == (1..<names.count).map(task.start))
        #expect(backtrace.asyncEnd == .startOfTask)
    }

    @Test("Forwarders of the compiler are left out")
    func thunks() throws {
        let thunks: [String?] = [
            "$s1pSiyYacfU_TATQ0_", "$sSiIegHd_SiIegHr_TRTQ0_", "$s1p1PAaDP1fyyYaFTWTQ0_",
            "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzlTRSi_TG5TATQ0_",
            "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzlTRSi_TG5TA.31TQ0_Tm",
            "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzlTRyt_Tg5TQ0_",
        ]
        let task = chained([Self.names[0]] + thunks + [Self.names[1]])
        #expect(callers(try task.unwind()) == [task.start(of: thunks.count + 1)])
    }

    @Test("A chain that leads back to itself is cut where it does", arguments: [0, 1, 2])
    func cycle(target: Int) throws {
        var task = chained()
        task.links[2].parent = task.context(target)
        let backtrace = try task.unwind()
        #expect(callers(backtrace) == [1, 2, 3].map(task.start))
        #expect(backtrace.asyncEnd == .cycle(context: task.context(target)))
    }

    @Test("A caller that is no start of an async function ends the chain")
    func wrongFunction() throws {
        var task = chained(Self.names + ["$s1p4syncyyF", "$s1p5entrySiyYaF"])
        let runtime = MadeUpTask.runtime + MadeUpImage.codeAddress
        for resume in [
            task.start(of: 2) + 8, task.start(of: 4), MadeUpTask.stack, MadeUpTask.contexts, 0,
            .max, runtime + 8,
        ] {
            task.links[1].resume = resume
            let backtrace = try task.unwind()
            #expect(callers(backtrace) == [task.start(of: 1)])
            #expect(backtrace.asyncEnd == .unknownFunction(address: resume))
        }
    }

    @Test("A pointer to what is no context ends the chain")
    func wrongPointer() throws {
        var task = chained()
        for (parent, end): (UInt64, Backtrace.AsyncEnd) in [
            (task.context(2) + 8, .notAContext(address: task.context(1))),
            (0x1234_5670, .noMemory(address: 0x1234_5670)),
            (0xffff_ffff_ffff_fff0, .noMemory(address: 0xffff_ffff_ffff_fff0)),
        ] {
            task.links[1].parent = parent
            let backtrace = try task.unwind()
            let isWhole = end != .notAContext(address: task.context(1))
            #expect(callers(backtrace) == (isWhole ? [1, 2] : [1]).map(task.start))
            #expect(backtrace.asyncEnd == end)
        }
    }

    @Test("Contexts that were not captured are told as missing")
    func noMemory() throws {
        var task = chained()
        task.hasContexts = false
        let backtrace = try task.unwind()
        #expect(callers(backtrace).isEmpty)
        #expect(backtrace.asyncEnd == .noMemory(address: task.context(0)))
    }

    @Test("More callers than anybody reads are cut")
    func limit() throws {
        var task = MadeUpTask(Array(Self.names.prefix(2)))
        task.links = (0..<4_200).map { (parent: task.context($0 + 1), resume: task.start(of: 1)) }
        task.slot = task.context(0)
        let backtrace = try task.unwind()
        #expect(callers(backtrace).count == 4_096)
        #expect(backtrace.asyncEnd == .limit(4_096))
    }

    @Test("An async function that ended with a call of the runtime is told as missing")
    func leftForRuntime() throws {
        let backtrace = try chained(["swift_task_switch"] + Self.names.dropFirst()).unwind()
        #expect(callers(backtrace).isEmpty)
        #expect(backtrace.asyncEnd == .noContext)
    }

    @Test("Code of another language awaits nobody, as abort(3) that the runtime calls")
    func foreign() throws {
        var task = chained([nil, nil, nil])
        task.isProgramSwift = false
        let backtrace = try task.unwind()
        #expect(callers(backtrace).isEmpty)
        #expect(backtrace.asyncEnd == nil)
    }

    @Test(
        "Only what runs jobs calls async functions, as far as the runtime's names tell",
        arguments: [
            (nil, true), ("swift_job_run", true), ("swift_task_dealloc", false),
            ("_swift_task_enqueueOnExecutor", false),
        ])
    func otherCallerInRuntime(name: String?, runsJobs: Bool) throws {
        var task = chained([nil, nil, nil])
        task.executorName = name
        #expect(callers(try task.unwind()).isEmpty != runsJobs)
    }

    @Test("A function that is not async has none, whatever its frame holds")
    func synchronous() throws {
        var task = chained(["$s1p4syncyyF"] + Self.names.dropFirst())
        task.contextRegister = task.context(0)
        let backtrace = try task.unwind()
        #expect(callers(backtrace).isEmpty)
        #expect(backtrace.asyncEnd == nil)
    }
}
