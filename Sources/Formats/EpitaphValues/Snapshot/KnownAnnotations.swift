// SPDX-License-Identifier: Apache-2.0

/// What annotations of certain names say, in one place for everything that reads them
/// (docs/destinations.md, docs/fleet.md).
package enum KnownAnnotations {
    /// The names under which a program says on which machine it runs, the most telling first.
    package static let hostNames = ["server_name", "hostname"]
    /// The names under which it says which version it is, the most telling first.
    package static let versionNames = ["release", "Version", "ver"]
}

extension ProcessSnapshot {
    /// The name of the machine, as the program said it; nil if it did not.
    package var hostName: String? { annotation(of: KnownAnnotations.hostNames) }

    /// The version of the program, as it said it; nil if it did not.
    package var programVersion: String? { annotation(of: KnownAnnotations.versionNames) }

    private func annotation(of names: [String]) -> String? {
        for name in names {
            if let found = annotations.first(where: { $0.name == name && !$0.value.isEmpty }) {
                return found.value
            }
        }
        return nil
    }
}
