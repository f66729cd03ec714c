// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The keys that determine how a crash is captured.
extension Epitaph.Configuration {
    static let captureKeys: [Key] = [
        Key(
            "signals", "default, or names such as SIGSEGV with blanks between them",
            "which signals are captured",
            text: { $0.capture.signals.map(Signals.words) ?? "default" },
            apply: { text, configuration in
                guard text != "default" else {
                    configuration.capture.signals = nil
                    return true
                }
                guard let signals = Signals.numbers(text) else { return false }
                configuration.capture.signals = signals
                return true
            }),
        Key(
            "marked_signals", "none, or names such as SIGTERM with blanks between them",
            "which signals that end the program are told to the next launch",
            text: {
                $0.capture.markedSignals.isEmpty
                    ? "none" : Signals.words($0.capture.markedSignals)
            },
            apply: { text, configuration in
                guard text != "none" else {
                    configuration.capture.markedSignals = []
                    return true
                }
                guard let signals = Signals.numbers(text) else { return false }
                configuration.capture.markedSignals = signals
                return true
            }),
        .number(
            "breadcrumbs", \.capture.breadcrumbLimit, in: 0...1024, "how many breadcrumbs are kept"),
        Key(
            "breadcrumb_file", "none, or a size from 8 KiB to 16 MiB",
            "the file in which breadcrumbs survive SIGKILL",
            text: {
                let bytes = $0.capture.breadcrumbFileBytes
                return bytes == 0 ? "none" : Key.sizeText(bytes)
            },
            apply: { text, configuration in
                guard text != "none" else {
                    configuration.capture.breadcrumbFileBytes = 0
                    return true
                }
                guard let size = Key.size(text), (8_192...(16 << 20)).contains(size) else {
                    return false
                }
                configuration.capture.breadcrumbFileBytes = Int(size)
                return true
            }),
        .flag(
            "swift_backtracer", \.capture.runsSwiftBacktracer,
            "whether the Swift runtime's own backtracer runs after the capture"),
        .flag(
            "virtual_signal_actions", \.capture.virtualSignalActions,
            "whether handlers that the program installs later run after the capture"),
        .flag(
            "existing_threads", \.capture.preparesExistingThreads,
            "whether threads that exist at the start get an alternate stack"),
        .flag(
            "trace_threads", \.capture.tracesUnresponsiveThreads,
            "whether threads that block our signal are read with ptrace"),
        .flag(
            "exit_is_clean", \.capture.exitIsCleanEnd,
            "whether exit(3) is a clean end of the program"),
        .flag(
            "command_line", \.capture.includesCommandLine, "whether the command line is in dumps"),
        .words(
            "environment_names", \.capture.environmentAllowList,
            "names with blanks between them", "variables of the environment that may be in dumps"),
        .flag(
            "last_lines", \.capture.writesLastLines,
            "whether a crash writes three lines to standard error"),
        .flag(
            "filters_allow_capture", \.capture.filtersAllowCapture,
            "whether the program's seccomp filters allow what a capture needs"),
        .number(
            "max_pending_dumps", \.capture.maxPendingDumps, in: 1...100_000,
            "how many dumps may wait to become reports"),
        .size(
            "max_pending_size", \.capture.maxPendingBytes, in: (1 << 20)...(1 << 40),
            "how much room they may take"),
        Key(
            "crash_directory", "the absolute path of a directory, or none",
            "where dumps wait instead of in the database",
            text: { $0.capture.crashDirectory ?? "none" },
            apply: { text, configuration in
                guard text == "none" || text.hasPrefix("/") else { return false }
                configuration.capture.crashDirectory = text == "none" ? nil : text
                return true
            }),
        .choice(
            "crash_file_mode", \.capture.crashFileMode,
            "who may read the files there: the owner alone, or the directory's group as well",
            word: { "0" + String($0.rawValue, radix: 8) }),
    ]

    static let budgetKeys: [Key] = [
        .size(
            "crashing_stack", \.capture.crashingStackBytes, in: 4096...(1 << 30),
            "of the crashing thread's stack"),
        .size(
            "other_stacks", \.capture.otherStackBytes, in: 4096...(1 << 30),
            "of the stack of each other thread"),
        .size(
            "all_stacks", \.capture.allStacksBytes, in: 4096...(1 << 32), "of all stacks together"),
        .size(
            "crashing_memory", \.capture.crashingMemoryBytes, in: 256...(3 << 20),
            "of other memory, for the crashing thread"),
        .size(
            "other_memory", \.capture.otherMemoryBytes, in: 256...(3 << 20),
            "of other memory, for each other thread"),
        .size(
            "all_memory", \.capture.allMemoryBytes, in: 256...(3 << 20),
            "of other memory, for all threads together"),
        .size(
            "registered_memory", \.capture.registeredMemoryBytes, in: 256...(1 << 30),
            "of memory that the program registered"),
        .size(
            "unwind_tables", \.capture.unwindTablesBytes, in: 4096...(1 << 30),
            "of unwind tables of modules whose files are gone"),
        .size(
            "reserved_disk", \.capture.reservedBytes, in: 65_536...(1 << 30),
            "disk space that is set aside for the next dump"),
        .number(
            "stop_timeout_ms", \.capture.stopTimeout.inMilliseconds, in: 1...60_000,
            "how long the other threads may take to stop, milliseconds"),
        .number(
            "capture_timeout_ms", \.capture.captureTimeout.inMilliseconds, in: 1...60_000,
            "how long a whole capture may take, milliseconds"),
    ]

    private enum Signals {
        private static let byName = Dictionary(
            uniqueKeysWithValues: (1..<Int32(32)).map {
                (Signal(rawValue: $0).description, Signal(rawValue: $0))
            })

        static func words(_ signals: [Signal]) -> String {
            signals.map(\.description).joined(separator: " ")
        }

        static func numbers(_ text: String) -> [Signal]? {
            let words = text.split { $0 == " " || $0 == "," }
            let numbers = words.compactMap { word -> Signal? in
                let name = word.uppercased()
                return byName[name] ?? byName["SIG" + name]
            }
            return numbers.isEmpty || numbers.count != words.count ? nil : numbers
        }
    }
}
