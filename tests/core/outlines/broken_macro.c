EXPORT int prefixed(void) { return 1; }

int plain(void) { return 2; }

int cut(void) {
    return (3;
}

int last(void) { return 4; }
