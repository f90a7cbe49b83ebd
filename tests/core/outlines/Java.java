package org.example;

import java.util.List;

/** Not part of it. */
@Deprecated
public class Account<T> extends Base implements Closeable {
    private static final int LIMIT = 10;
    @Inject
    private int first = 1, second;

    static {
        load();
    }

    public Account(int first) {
        this.first = first;
    }

    public void pay(int amount) {}

    public void pay(String amount) {
        Runnable later = () -> {};
        class Local {
            void go() {}
        }
        run(new Object() {
            @Override
            public String toString() {
                return "";
            }
        });
    }

    @Override
    public abstract void close();

    enum Level {
        LOW(1) {
            @Override
            int weight() {
                return 1;
            }
        },
        HIGH;

        int rank;

        int weight() {
            return 2;
        }
    }

    interface Visitor {
        int DEPTH = 1;

        void visit();

        default void leave() {}
    }

    record Point(int x, int y) {
        Point {
            check(x);
        }

        static Point zero() {
            return null;
        }
    }

    @interface Marker {
        String value() default "";
    }
}
