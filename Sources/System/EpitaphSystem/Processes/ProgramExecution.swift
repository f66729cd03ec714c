// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// Replacing this program by another one, execvp(3).
package enum ProgramExecution {
    /// As execvp(3): a name with a slash is a path. `searchPath` is PATH; nil for libc's default.
    package static func find(_ name: String, searchPath: String?) -> String? {
        guard !name.contains("/") else { return access(name, F_OK) == 0 ? name : nil }
        let folders = (searchPath ?? "/bin:/usr/bin").split(
            separator: ":", omittingEmptySubsequences: false)
        return folders.map { $0.isEmpty ? name : "\($0)/\(name)" }.first { path in
            let kind = try? FileDescriptor.openForReading(realPath(of: path)).fileStatus().kind
            return kind == .regular && access(path, X_OK) == 0
        }
    }

    /// Executes the last `count` words of the command line with additional variables and with the
    /// original SIGPIPE action and closed descriptors. Returns only on failure.
    package static func executeLastArguments(
        _ count: Int, adding variables: [(name: String, value: String)]
    ) -> SystemError {
        let words = CommandLine.unsafeArgv + (Int(CommandLine.argc) - count)
        guard count > 0, count < Int(CommandLine.argc), let program = words[0] else {
            return SystemError(call: "execvp", subject: "", errorNumber: EINVAL)
        }
        for variable in variables where setenv(variable.name, variable.value, 1) != 0 {
            return .last("setenv", variable.name)
        }
        CurrentProcess.restoreBrokenPipes()
        execvp(program, words)
        return .last("execvp", String(cString: program))
    }
}

extension CurrentProcess {
    package static var machine: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "" }
        return withUnsafeBytes(of: &names.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    package static var effectiveUserID: UInt32 { geteuid() }
}

package func hasFileCapabilities(_ path: String) -> Bool {
    epitaph_file_gives_capabilities(path)
}
