// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Synchronization

/// Finds by trial where the Swift runtime keeps a task's scope, and names of tasks and queues, so
/// that the crash handler need not call the runtime: docs/decisions/finding-the-task.md. Until
/// then, or if trials disagree, reports say that the task's scope is unknown.
enum TaskScopeTrial {
    /// For the first scope. Two threads each run a task that looks at its own memory: about 200 µs.
    static func begin() {
        _ = isDone
    }

    private static let isDone: Bool = {
        for _ in 0..<2 {
            _ = epitaph_task_trial_run(
                { _ in
                    TaskScopeTrial.run()
                    epitaph_queue_trial()
                }, nil)
        }
        return epitaph_task_scopes_are_proved() != 0
    }()

    private static func run() {
        let variable = Unmanaged.passUnretained(ScopeReference.$current).toOpaque()
        epitaph_task_trial_begin(UInt64(UInt(bitPattern: variable)))
        let executor = CallingThreadExecutor()
        Task.detached(name: name, executorPreference: executor) {
            await lookForName(executor)
            await look(executor)
        }
        // A job that the runtime has delayed past this point does nothing.
        executor.end()
        _ = epitaph_task_trial_end()
    }

    private static let name = "epitaph-trial"

    private static func lookForName(_ executor: CallingThreadExecutor) async {
        executor.whileItRuns {
            epitaph_task_trial_see_name(UInt64(RunningTask.address), name)
        }
        await withTaskCancellationHandler {
            executor.whileItRuns {
                epitaph_task_trial_see_record_before_name(UInt64(RunningTask.address))
            }
        } onCancel: {
        }
    }

    private static func look(_ executor: CallingThreadExecutor) async {
        // Not tokens of real scopes.
        let tokens: [UInt64] = [0x1_ffff, 0x2_ffff, 0x3_ffff]
        let first = ScopeReference(token: tokens[0])
        await ScopeReference.$current.withValue(first) {
            see(EPITAPH_TASK_VIEW_VALUE, tokens[0], executor)
            ScopeReference.$current.withValue(ScopeReference(token: tokens[1])) {
                see(EPITAPH_TASK_VIEW_SECOND_VALUE, tokens[1], executor)
            }
            await withTaskGroup(of: Void.self) { group in
                ScopeReference.$current.withValue(ScopeReference(token: tokens[2])) {
                    see(EPITAPH_TASK_VIEW_GROUP_VALUE, tokens[2], executor)
                }
                group.addTask { see(EPITAPH_TASK_VIEW_CHILD, tokens[0], executor) }
            }
        }
        see(EPITAPH_TASK_VIEW_EMPTY, 0, executor)
    }

    private static func see(
        _ view: epitaph_task_view, _ token: UInt64, _ executor: CallingThreadExecutor
    ) {
        executor.whileItRuns {
            epitaph_task_trial_see(view, UInt64(RunningTask.address), token)
        }
    }
}

/// Runs jobs on the thread that enqueues them, so that a task stays on the thread that creates it.
private final class CallingThreadExecutor: TaskExecutor {
    private let hasEnded = Mutex(false)

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }

    func end() {
        hasEnded.withLock { $0 = true }
    }

    func whileItRuns(_ body: () -> Void) {
        hasEnded.withLock { if !$0 { body() } }
    }
}
