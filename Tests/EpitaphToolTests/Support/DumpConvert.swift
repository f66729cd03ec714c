// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// Runs the program under test; nothing of this process's own settings reaches it.
func dumpConvert(
    _ arguments: [String], environment: [String: String] = [:]
) throws -> Subprocess {
    var variables = [
        "EPITAPH_DATABASE": "", "EPITAPH_UPLOAD_URL": "", "EPITAPH_LOG_URL": "", "no_proxy": "*",
        "NO_COLOR": "", "CLICOLOR": "", "CLICOLOR_FORCE": "",
    ]
    variables.merge(environment) { $1 }
    return try Subprocess.run(
        [Products.executable("dump-convert")] + arguments, environment: variables,
        deadlineSeconds: 30)
}

extension Subprocess {
    var exitStatus: Int32? {
        guard case .exited(let status) = ending else { return nil }
        return status
    }
}

func dumpConvert(
    _ arguments: String..., environment: [String: String] = [:]
) throws -> Subprocess {
    try dumpConvert(arguments, environment: environment)
}
