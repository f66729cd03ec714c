// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct SessionStateTests {
    private func at(_ seconds: Double) -> SessionState.Moment {
        SessionState.Moment(
            time: Timestamp(secondsSince1970: 1_800_000_000 + seconds), seconds: seconds)
    }

    private func words(_ changes: [SessionState.Change]) -> [String] {
        changes.map {
            switch $0 {
            case .started(let session): "\(session.numberInRun) started"
            case .ended(let session):
                "\(session.numberInRun) ended at \(session.duration.inSeconds)"
            }
        }
    }

    @Test("A session is over when nothing was done for half a minute, with the last activity")
    func idle() {
        var state = SessionState(idleSeconds: 30)
        #expect(words(state.noteActivity(at: at(0))) == ["1 started"])
        #expect(state.noteActivity(at: at(20)) == [])
        #expect(state.noteActivity(at: at(49.5)) == [])
        #expect(state.secondsToExpiry(at: at(59.5)) == 20)
        #expect(state.expire(at: at(79.25)) == [])
        #expect(words(state.expire(at: at(79.5))) == ["1 ended at 49.5"])
        #expect(state.secondsToExpiry(at: at(80)) == nil)
        #expect(words(state.noteActivity(at: at(90))) == ["2 started"])
        // Nobody looked in between.
        #expect(words(state.noteActivity(at: at(500))) == ["2 ended at 0.0", "3 started"])
    }

    @Test("The time of day may jump as it likes")
    func clockJump() {
        var state = SessionState(idleSeconds: 30)
        _ = state.noteActivity(at: at(0))
        let jumped = SessionState.Moment(time: Timestamp(secondsSince1970: 0), seconds: 10)
        #expect(state.noteActivity(at: jumped) == [])
        #expect(state.current?.duration == .seconds(10))
    }

    @Test("Another user's work is another session, the same user's is not")
    func users() {
        var state = SessionState(idleSeconds: 30)
        #expect(state.setUser(1, at: at(0)) == [])
        #expect(words(state.noteActivity(at: at(0))) == ["1 started"])
        #expect(state.current?.userKey == 1)
        #expect(state.setUser(1, at: at(1)) == [])
        #expect(words(state.setUser(2, at: at(5))) == ["1 ended at 0.0", "2 started"])
        #expect(state.current?.userKey == 2)
        #expect(words(state.setUser(nil, at: at(50))) == ["2 ended at 0.0", "3 started"])
    }

    @Test("Errors count for the session they were handled in, and for none where there is none")
    func errors() {
        var state = SessionState(idleSeconds: 30)
        state.noteHandledError()
        _ = state.noteActivity(at: at(0))
        state.noteHandledError()
        state.noteHandledError()
        guard case .ended(let session)? = state.end().first else {
            Issue.record("it did not end")
            return
        }
        #expect(session.handledErrors == 2)
        #expect(state.end() == [])
    }

    @Test("A user's key is the same in every process, and another one in every installation")
    func userKey() {
        let salt = Epitaph.ID("0A0B0C0D-1111-2222-3333-444455556666")
        let key = UserKey.key(of: "ada", salt: salt)
        #expect(key == UserKey.key(of: "ada", salt: salt))
        #expect(key != UserKey.key(of: "ada", salt: nil))
        #expect(key != UserKey.key(of: "adb", salt: salt))
    }

    @Test("Options out of range become the nearest that is in it")
    func options() {
        var options = SessionOptions()
        options.idleTime = .seconds(-1)
        options.noteInterval = .seconds(1e9)
        options.keptDays = -5
        #expect(options.idleTime == .seconds(1))
        #expect(options.noteInterval == .seconds(3_600))
        #expect(options.keptDays == 1)
    }
}
