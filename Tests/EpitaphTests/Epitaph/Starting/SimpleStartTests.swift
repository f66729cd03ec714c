// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import Epitaph

@Suite("Where reports are kept if the program does not say")
struct SimpleStartTests {
    private func place(user: UInt32 = 1000, _ variables: [String: String]) -> String {
        DefaultDatabase.path(of: "com.example.myd", userID: user) { variables[$0] }
    }

    @Test("In the state directory that the service manager gave, the first if there are several")
    func stateDirectory() {
        #expect(place(["STATE_DIRECTORY": "/var/lib/myd"]) == "/var/lib/myd/crashes")
        #expect(
            place(user: 0, ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b"]) == "/var/lib/a/crashes")
    }

    @Test("Otherwise where the user keeps state, and for root in /var/lib")
    func user() {
        let name = "epitaph/com.example.myd"
        #expect(place(["XDG_STATE_HOME": "/s", "HOME": "/home/ada"]) == "/s/\(name)")
        #expect(place(["HOME": "/home/ada"]) == "/home/ada/.local/state/\(name)")
        #expect(place(user: 0, ["HOME": "/root"]) == "/var/lib/\(name)")
    }

    @Test("A relative path, an empty one and the root as home are no places")
    func unusable() {
        let variables = ["STATE_DIRECTORY": "state", "XDG_STATE_HOME": "", "HOME": "/"]
        #expect(place(variables) == "/var/lib/epitaph/com.example.myd")
    }

    @Test("Directories above it are created once, and it is said where reports are")
    func parents() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("a/b/db")
        #expect(DefaultDatabase.makeParents(of: path) == "crash reports are kept in \(path)")
        try directory.write([], to: "a/b/db")
        #expect(DefaultDatabase.makeParents(of: path) == nil)
    }

    @Test("The version is in every report, and the database can still be chosen")
    func configuration() {
        var configuration = Epitaph.Configuration("com.example.myd", version: "1.4")
        #expect(configuration.annotations == ["ver": "1.4"])
        #expect(configuration.bundleID == "com.example.myd")
        configuration.databasePath = "/chosen"
        #expect(configuration.databasePath == "/chosen")
        #expect(Epitaph.Configuration("com.example.myd").annotations.isEmpty)
    }
}
